-- The fields that the answer showed by which a record was accepted, with commas between them: they were compared with what was sent.
alter table records add column read_back text not null default '';
