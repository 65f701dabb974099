-- What nodes know together of an account of the service: its pace, and the session with its cookie sealed, or why a sign-in was refused. The
-- names tell nothing, and none of it is missed after a crash of the server.
create table accounts (
	name {exact} primary key,
	kept {bytes} not null
);
