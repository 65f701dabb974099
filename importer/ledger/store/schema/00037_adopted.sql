-- What an adopted record would have been sent with stands with its id, so that it outlives the run and goes along when the key is renamed.
update known set payload = r.payload, bundle = r.bundle, bundle_seq = r.seq from records r
where known.digest = '' and r.run_no = known.run_no and r.scope = known.scope and r.key = known.key;
