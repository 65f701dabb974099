// Package config reads the settings of one installation from a YAML file, usually docketsync.yaml. It reports every
// mistake in the file at once, with line and column.
//
// The file is read strictly over the settings of Default: an unknown key, a value of the wrong type, or a word that the
// setting does not have is a fault. Only cmd reads flags and the environment; Load is given functions for the
// environment and for files. cmd passes the settings on to the other packages as plain values, so no other package
// imports this one.
//
// The decision that is not obvious is that no secret stands in the file. The file names an environment variable or a
// file that holds the key, cookie or password, and the value lives in a type (Secret) that cannot be printed. A default
// for a secret counts only for the sandbox and loopback addresses, where it guards nothing. If somebody writes a
// password into the file all the same, the message that refuses it does not show it. The service's key, cookie and
// password must have at least eight characters, except where they guard nothing: a shorter one is part of too many
// words to be kept out of everything that is shown.
//
// Only those who send need the secrets. A secret that cannot be read is therefore no fault of the file, and Missing
// reports it when it matters; so a mapping can be checked on a machine that holds no secrets. A file that holds a
// secret and that every user of the machine can open is refused, whether the secret is needed or not (see secret_files
// below).
//
// # Reference
//
// Every scalar may be written as
//
//	{env: NAME}                  the value of an environment variable; not set, or empty, is a fault
//	{env: NAME, default: VALUE}  the same, with a value for when it is not set
//
// The folder jobs.d beside the file may hold more jobs, each in a file of its own (NAME.yml) with the settings of an
// item of jobs: below (name, source, mapping and so on). They count as if they stood at the end of jobs:, in the order
// of their file names. Files whose names begin with a dot, or do not end in .yml or .yaml, are not read. The web
// console saves jobs there; no program edits the configuration itself. A job can be moved by hand from one place to the
// other.
//
// Relative paths start from the folder of the configuration, those in jobs.d too. Times are written with units (500ms,
// 30s, 5m; days as 400d), and so are sizes (64KiB, 1MiB, 10MB). A file may use anchors (&name), aliases (*name) and
// merge keys (<<).
//
//	service:                     where payloads go
//	  base_url:                  https://…; http:// for loopback addresses alone; or the word sandbox: the sandbox in the
//	                             process. Required. A ledger belongs to one base_url (docketsync ledger accept-service)
//	  account:                   your name for the account at the service, such as live. With it, the key and the user
//	                             may change. Without it, a ledger belongs to one key and one user, and a change has to be
//	                             confirmed (docketsync ledger accept-service)
//	  paths:                     what is appended to base_url for each operation
//	    create_case:             /v1/firms/file
//	    create_folder:           /v1/firms/folder
//	    update_case:             no default: interface.md does not state it. {id} stands for the id of the case
//	    update_trademark:        no default, as above
//	  subscription_key:          {env: NAME} or {file: PATH}. Sent with every request. Required, except for the sandbox
//	  auth_cookie:               {env: NAME} or {file: PATH}. The user's authentication cookie
//	  cookie_header:             .Service.AuthCookie   the header that carries it, spelled exactly so
//	  folder_cookie:             true     whether create folder carries it too
//	  user_agent:                the User-Agent header of requests. Left out: docketsync and its version
//	  sign_in:                   how to get a new cookie when the service does not accept the current one. One of
//	    command:                 [program, argument, …]   prints the cookie; runs in the folder of this file
//	    path:                    the login operation of the service, such as /v1/login, with
//	    user:                    the name to sign in with, and
//	    password:                {env: NAME} or {file: PATH}
//	    user_member:             user_name   the member of the login's body that holds user, and
//	    password_member:         password    the one that holds password
//	  create_case_variant:       A | B    which field list of create case the service takes
//	  switches:                  where interface.md says more than one thing: what the service takes
//	    active:                  boolean | text            active of update case
//	    registration_number:     text | integer            registration_number of update trademark
//	    component_id:            omit | same | null        id of a component: left out, file_template_component_id, null
//	    do_not_create_file:      send | omit               whether update trademark may carry it
//	    folder_file_number:      number | text             number of a file in create folder
//	    update_answer:           json | any                the body of update case's 200: JSON with the details; or
//	                             anything, even nothing, except a web page or compressed data
//	  not_read_back:             fields that the service's answers show with other values than it stores, as a list such
//	                             as [client_id, files.user_id]; they are not compared with what was sent
//	  timeout:                   30s      the longest that one request may take
//	  answer_limit:              1MiB     how much of an answer is read
//	  ca_file:                   a PEM file of certificate authorities to trust in addition to the system's. If the
//	                             service cannot prove its identity, the run stops and nothing is sent to it
//	  proxy:                     none | environment   the proxy that HTTPS_PROXY and NO_PROXY name. In its password,
//	                             write %23 for #, %2F for /, %3F for ? and %25 for %
//	  lists:                     list operations that the service has beyond interface.md. Lookups take names from them,
//	                             and docketsync resolve --ask searches cases and folders for records in doubt
//	    settle_after:            10m      how long after the first search for a record its absence from a list counts as
//	                             proof
//	    NAME:                    a list, by the name that mappings use for it; its path alone, or
//	      path:                  such as /v1/lists/companies; requested with ?skip=…&take=…. Required
//	      id:                    id       the member of an item with its id. In every member, a dot leads into an object:
//	                             client.id
//	      name:                  name     the member with the name, or a list of members that each hold one; for the list
//	                             cases, the default is number
//	      items:                 the member with the items. Left out: the answer is an array, or has them in items or
//	                             data
//	      total:                 total    the member that says how many there are in all, if the service sends it
//	      take:                  100      items requested at once; 0 if the service sends the whole list at once
//	      max_age:               0s       how old a fetched list may be when a run or a plan uses it; 0s fetches it each
//	                             time
//	      same:                  for cases and folders: what an item must have in common with the record that was sent,
//	                             in addition to its number or name, as {member of the payload: member of the item}. The
//	                             default is {name: name} for cases, {client_id: client_id} for folders
//	      changed:               for cases and trademarks: holds an update if somebody else has changed the record in the
//	                             service since docketsync last updated it, until a person decides whose values stand. The
//	                             list is read before a run sends, and again every ten minutes
//	        at:                  the member with the time of the last change, and
//	        by:                  the one with the account that made it; at least one of the two. With at alone, the list
//	                             is read once more after a run
//	        us:                  the accounts that docketsync signs in with, as by shows them; give docketsync an account
//	                             of its own
//	        fields:              where an item has a value under another name than the payload's field, as {field of
//	                             the payload: member of the item}
//	        unknown:             hold | send   what to do with an update if nobody can tell whether the record
//	                             was changed: the list does not have it, or says too little about it
//
//	retry:                       when a request is sent again
//	  creates:                   never | always   always only if the service can safely receive the same create twice
//	  refused:                   24h      how long docketsync waits before it sends a record again that the service
//	                             refused; always does not wait, never waits for ever. A record is sent earlier if its
//	                             rows, what they are looked up in, base_url or its path have changed. run --retry-refused
//	                             does not wait
//	  first_delay:               500ms    the wait before the second attempt
//	  max_delay:                 30s      the longest wait between two attempts
//	  total:                     5m       how long a record is tried before it is left to the next run
//	  retry_after_cap:           2m       the longest wait that the service may ask for
//
//	pace:                        how much is sent at a time
//	  concurrency:               8        requests in flight at once, 1 to 256
//	  rate:                      0        requests per second, 0 for no limit
//
//	guards:                      what stops a run before anything is sent, because the export differs too much from that
//	                             of the job's last finished run. Somebody checks it and accepts it with docketsync
//	                             run JOB --accept-guard. A first run has nothing to be compared with, unless the job was
//	                             renamed. Until a run has finished, only missing rows and records, dates_shifted,
//	                             days_swapped, characters_lost, ids_changed and scope count. Shares are written as
//	                             20%; off switches a guard off
//	  changes:                   20%      records that are new or changed, as a share of the records of the last run.
//	                             Records that the last run left unsent do not count, nor do as many as it rejected
//	                             and are right by now, nor created records that had already changed by then. A firm
//	                             changes a few percent a night
//	  max_changes:               0        the same as a number of records, 0 for any number
//	  rows_fell:                 20%      rows that are missing: an export that was cut off
//	  vanished:                  10%      records of the last run that are gone from the export
//	  rejects:                   10%      percentage points by which the share of rejected records rose; records that are
//	                             rejected every night do not stop every night's run
//	  dates_shifted:             5%       records whose dates all moved by the same number of days
//	  days_swapped:              3        stops at this many records in which nothing changed except that day and month
//	                             of dates changed places (2024-03-04, 2024-04-03); 0 for any number
//	  characters_lost:           3        stops at this many records in which a text only lost leading zeros, digits behind
//	                             the 15th, accents or letters (0123, 123; Krąg, Kr?g), as when somebody saved the
//	                             export in a spreadsheet program; 0 for any number
//	  ids_changed:               1        stops at this many keys whose updates name another case or trademark than the
//	                             last accepted ones, for example because a lookup was sorted wrongly; 0 for any number
//	  scope:                     stop | ignore   a mapping whose scope differs from that of the last run, so that
//	                             everything would be sent as if it had never been sent. Also: records to be created that
//	                             were created under another scope; a job that now creates what it used to update; two
//	                             jobs of one scope that overwrite each other's values; and records that are new to a
//	                             job and had cells corrected for another job of the scope, or under another key
//	  empty:                     stop | ignore   an export without rows, when the last one had some; also one that cannot
//	                             be read because it is empty, cut off or damaged
//	  header:                    stop | ignore   column names that are gone, new or in another order, even if the mapping
//	                             needs them; an export that cannot be read or mapped cannot be accepted
//	  columns:                   stop | ignore   a column that became blank, or half of whose values are of another kind
//	                             (dates, numbers, words, ids, codes)
//	  same_file:                 ignore | stop   a file that is byte for byte that of the last run
//	  listed:                    stop | ignore   a ledger that is new or was lost, and would create records that the
//	                             lists cases and folders already have; docketsync ledger adopt JOB enters those in the
//	                             ledger
//	  older_than:                0s       how long ago the file may have been written last, 0s for any time; 36h suits an
//	                             export that is made every night. A time more than a day in the future stops the run too
//	  least:                     10       shares of fewer rows, records or cells than this do not count
//
//	stop_after:                  what stops a run because of the service's answers, with status 5; what was not sent is
//	                             held. It counts over all starts of a run. 0 and off switch a limit off
//	  same_refusal:              5        stops when this many of the first records are refused with the same status, if
//	                             it is about the request rather than the record (404, 405, 410, 415, 501); or four times
//	                             as many with the same words, or with 404 or 410 if an earlier run of the operation had a
//	                             record accepted. A path, a switch or a value that all records carry is probably wrong.
//	                             These records are sent again with the rest when the job is run again
//	  same_difference:           5        stops when this many of the first accepted records (of four times as many) come
//	                             back with a different value than was sent in the same field: a switch or the service is
//	                             probably wrong
//	  in_doubt:                  50       stops at this many records in doubt. The run goes on once enough of them are
//	                             settled
//	  failed:                    200      stops at this many records that failed after all retries; the next run sends
//	                             them again
//	  rejected:                  50%      the share of refusals among the service's answers, from 100 answers on
//
//	ledger:                      docketsync.db   a file, or postgres://… (with a password: {env: NAME})
//	ledger_server:               settings for a ledger in a PostgreSQL database
//	  outage:                    60s      how long a run waits for a server that is away; 0s for not at all. It sends no
//	                             create meanwhile, and after at most 2s nothing new; it keeps the answers that it has
//	                             received
//	  lagging_standby:           refuse | accept   a standby that not every commit waits for (synchronous_standby_names).
//	                             If it takes over, it may lack the newest commits, and their creates would be sent again
//	  ca_file:                   a PEM file of certificate authorities to trust in addition to the system's. A server on
//	                             another machine has to prove its name over TLS, as with sslmode=verify-full, which is
//	                             the default here
//	  unverified:                refuse | accept   a server on another machine whose identity is not checked (another
//	                             sslmode in the address): a false one could read and change the ledger. It never gets the
//	                             password in clear text
//	  schema:                    address | folder   where the ledger's tables are: in the schema that the address names,
//	                             or in the one named after the folder of this file, so that firms/acme/docketsync.yaml
//	                             has its own. docketsync does not create the schema
//	reports:                     reports         a folder
//	copy_reports:                NAME:/folder    a folder of a remote that gets a copy of every run's reports
//
//	remotes:                     places on other machines, for sources and reports
//	  NAME:                      one of them, by the name that its files are addressed with: NAME:/out/matters*.csv
//	    sftp:                    an SFTP server
//	      host:                  its name or address. Required
//	      port:                  22
//	      user:                  the name to sign in with. Required
//	      private_key:           {file: PATH} or {env: NAME}    the user's key, in PEM or OpenSSH form
//	      passphrase:            {env: NAME} or {file: PATH}    opens the private key
//	      password:              {env: NAME} or {file: PATH}    for a server that takes one
//	      fingerprint:           the server's key, as ssh-keygen -l shows it: SHA256:…; this or known_hosts is required
//	      known_hosts:           a file with the keys of servers, as OpenSSH keeps it
//	    s3:                      a bucket of an S3-compatible service
//	      endpoint:              https://…; http:// for loopback addresses alone. Required
//	      region:                the service's region, if it has any
//	      bucket:                the name of the bucket. Required
//	      access_key:            {env: NAME} or {file: PATH}. Required
//	      secret_key:            {env: NAME} or {file: PATH}. Required
//	    max_size:                1GiB     how large a fetched file may be
//
//	retention:                   how long data is kept that nothing needs any more; what decides what is sent is kept for
//	                             ever. 'docketsync ledger prune' removes what is older, and so does schedule every night
//	  runs:                      such as 400d: the age at which most records of a run leave the ledger. Left out: never
//	  reports:                   such as 400d: the age at which the reports of a run are removed, and uploads of the
//	                             console that nothing reads. Left out: never
//
//	secret_files:                files that hold secrets
//	  readable:                  refuse | accept   a file that every user of this machine can open: those that
//	                             {file: PATH} names, the console's key, and this file if it holds the hash of a password
//
//	log:                         on standard error
//	  level:                     debug | info | warn | error   (info)
//	  format:                    console | json                (console)
//
//	schedule:                    how docketsync schedule behaves as a whole
//	  stop_within:               60s      how long a run may take to finish what is in flight when docketsync is asked to
//	                             stop; then it is cut off, and what was in flight may be in doubt
//
//	notify:                      who is told about jobs: when a job breaks, once a day while it stays broken, and when it
//	                             has recovered
//	  firm:                      the name of this installation in the subjects of messages
//	  link:                      where reports can be opened: https://files.example/reports/{folder}/report.html.
//	                             {folder} is the name of a report's folder. Left out: messages link to the run in the
//	                             console (console.url)
//	  rejects_above:             0        how many records of a run may be rejected or fail before the job counts as
//	                             broken
//	  timeout:                   30s      the longest that one message or ping may take
//	  ca_file:                   a PEM file of certificate authorities to trust in addition to the system's
//	  channels:                  ways to reach people
//	    NAME:                    a channel, by the name that logs use for it: one of mail, slack, teams, webhook
//	      mail:                  over SMTP
//	        server:              host:port, such as smtp.firm.example:587. Required
//	        tls:                 starttls | implicit | none   none only for a server on this machine
//	        user:                the name to sign in with, and
//	        password:            {env: NAME} or {file: PATH}
//	        from:                the sender. Required
//	        to:                  a receiver, or a list. Required
//	        attach:              true     whether report.html and rejects.xlsx are attached, and
//	        attach_limit:        10MB     how large they may be together; a file that does not fit is named instead
//	      slack:                 {env: NAME} or {file: PATH}   the URL of an incoming webhook
//	      teams:                 {env: NAME} or {file: PATH}   the URL of a workflow that posts to a channel
//	      webhook:               {env: NAME} or {file: PATH}   a URL that receives the message as JSON
//	      on:                    [broken, still_broken, recovered]   what the channel is told; also success: a summary of
//	                             the first run of a day that went well
//	  ping:                      a dead man's switch: a service that raises the alarm when it has not been pinged for too
//	                             long
//	    url:                     {env: NAME} or {file: PATH}   requested after each run; {job} in it stands for the job's
//	                             name, and is required if there are several jobs
//	    on:                      success | always   after which runs
//	    start_and_fail:          false    true also requests URL/start before a run, and URL/fail after one that went
//	                             badly
//
//	certificate:                 how certificates of migrations are signed
//	  private_key:               {env: NAME} or {file: PATH}   an Ed25519 key, as docketsync certificate new-key makes
//	                             it. If command is left out too, certificates are not signed
//	  command:                   [program, argument, …]   prints that key, for example from a vault; runs in the folder
//	                             of this file
//
//	metrics:                     how the installation can be watched
//	  listen:                    host:port where schedule and node serve /metrics, /livez, /healthz and /readyz, such as
//	                             127.0.0.1:9180
//	  textfile:                  a file whose name ends in .prom, written after every run, for node_exporter
//	  traces:                    where a trace of every run is posted as OTLP in JSON, such as
//	                             http://127.0.0.1:4318/v1/traces
//
//	console:                     how docketsync console serves its pages
//	  listen:                    127.0.0.1:8180   host:port. If other machines can reach it, it needs a sign-in (users or
//	                             oidc), and tls or proxies. Or unix: and the path of a socket, which only its owner can
//	                             open
//	  url:                       the address that people open, such as https://docketsync.firm.example; the console then
//	                             answers to no other name. Required with oidc. Messages and reports link to its pages
//	  tls:                       the console's certificate
//	    cert:                    a file in PEM form, with the certificates that lead to an authority after it
//	    key:                     a file in PEM form that only docketsync can read
//	  proxies:                   [10.0.0.5]       instead of tls: proxies in front that speak https with browsers, and
//	                             say so in X-Forwarded-Proto, and for whom in X-Forwarded-For. Requests from anywhere
//	                             else are refused
//	  sign_in:                   here | firms   (here)   firms, in the configuration of a firm: people sign in at the
//	                             console of all firms (firms below); users (name, role and jobs) and oidc (operators,
//	                             viewers and jobs) say who may do what in this firm. A console of all firms has users
//	                             (name and password) and oidc without these
//	  users:                     a list of people who sign in with a password. If oidc is left out too, the console
//	                             prints an address that lets in one browser. A change takes effect within a second and
//	                             ends the sessions of those it concerns
//	    - name:                  what they type, in upper or lower case. Required
//	      role:                  viewer | operator   a viewer looks; an operator also runs jobs, settles doubts and lifts
//	                             guards. Required
//	      jobs:                  the jobs that the person sees, by name: the person sees and does nothing of any other
//	                             job, or of the installation as a whole. Left out: all
//	      password:              what docketsync console password prints, in single quotes; or {env: NAME} or
//	                             {file: PATH}
//	  oidc:                      a provider of OpenID Connect that people sign in with
//	    issuer:                  https://…, under which it answers /.well-known/openid-configuration. Required
//	    client_id:               the console's name at the provider. Required. The provider sends people back to
//	                             console.url followed by /sign-in/callback
//	    client_secret:           {env: NAME} or {file: PATH}
//	    claim:                   groups, roles, … or email: the claim that decides a person's role. Required
//	    operators:               values of the claim that make somebody an operator, and
//	    viewers:                 values that make somebody a viewer; a person with neither kind of value is not let in
//	    jobs:                    {VALUE: [JOB, …]}   the jobs that people with this value see, as jobs of users above, or
//	                             ['*'] for all of them; if several values give the same role, the jobs of each. Left out:
//	                             all people see all jobs; otherwise a value that is not listed here lets nobody in
//	  session:                   how long people stay signed in
//	    idle:                    30m      without doing anything; it ends nothing if nobody signs in
//	    lifetime:                12h      in all
//	  upload_limit:              50MiB    how large an uploaded file may be
//	  uploads:                   uploads  a folder that keeps them
//
//	sandbox:                     what the sandbox holds
//	  data:                      sandbox.db      a file; "" for memory alone
//	  directory:                 a JSON file: templates, users, companies and the other lists, trademarks
//
//	firms:                       a folder of firms, each a folder with a docketsync.yaml of its own, that docketsync node
//	                             serves together. A file with firms has no service and no jobs; its ledger, log, notify
//	                             and metrics are those of the nodes
//	labels:                      labels that a node must have to serve this firm: {region: eu}; see docketsync node
//	                             --label
//	  NAME:                      a value
//
//	jobs:                        a list, in the order in which the jobs run; those of jobs.d (see above) run after them
//	  - name:                    the name that commands and reports use: letters, digits, - . _
//	    mapping:                 the mapping file
//	    vanished:                list | inactive   records of the last run that are gone from the export, or that the
//	                             mapping now leaves out: listed in the report; or, for update_case alone, sent once more
//	                             with active: false, unless another job of the scope had them in its last export and this
//	                             job has not read seven exports since. Records are only listed if they were gone before
//	                             inactive was set, or are gone from the first export of a renamed job. (list)
//	    guards:                  the job's own, by their names in guards above; they override those of the installation
//	    source:                  the path of a file, or
//	      file:                  a path, or a list of paths of files with the same columns. NAME:/out/matters*.csv is a
//	                             file of the remote NAME, which is fetched first; if several match, the one written last.
//	                             If two of them were written last at the same time, the run stops. A file that was
//	                             written within the last 12 hours by the clock of its SFTP server is fetched once it has
//	                             not changed for a minute
//	      inbox:                 instead of file: a folder that files arrive in; each file is run. Its path alone, or
//	        folder:              the watched folder; it may be on a network share. Required
//	        files:               "*"      the names of the files to take, with * and ?; a list if there are several. They
//	                             must leave out files of docketsync itself, such as this one, and files that other jobs
//	                             read
//	        holds:               export | changes   what each file is: the whole export; or only the rows that are new or
//	                             changed, so that nothing vanishes and nothing is guarded. If anything in a file of
//	                             changes failed, is in doubt or held, or waits for an id or for the answer whether it was
//	                             renamed, the file is kept and run again, and later files wait for it
//	        take:                all | newest   all in order; or the newest alone, and those before it are moved away
//	        order:               time | name    by the time of the last write, or by name, in which matters-9 comes
//	                             before matters-10
//	        poll:                30s      how often docketsync looks into the folder
//	        still:               1m       how long the size and time of a file must have stayed the same, and once more
//	                             after it was moved out of the folder; a file that is written to meanwhile is moved back
//	        patience:            1h       how long docketsync waits for the rest of a file that looks incomplete: an
//	                             archive or a workbook without its end, or a text file without a line break at its end
//	                             when most of the last three had one. Also how long the schedule watches a file in the
//	                             archive, which is moved back if its writer goes on
//	        marker:              .done    takes X.csv only if X.csv.done is beside it. Left out: takes all
//	        archive:             archive  a folder, relative to the watched one: archive/2024/03/RUN-X.csv
//	        rejected:            rejected   the same for files that cannot be run, with X.csv.reason.txt
//	      format:                csv (any delimiter), xlsx, ods or xls    what is left out here and below is detected.
//	                             Trademark files of the offices (XML in the forms ST.96 and ST.66) are recognized by how
//	                             they begin
//	      encoding:              utf-8, windows-1252, …    character set of a text file; required for one that is not all
//	                             ASCII and neither UTF-8 nor UTF-16
//	      delimiter:             ";" or semicolon, comma, tab, pipe, space; spaces for columns that two or more spaces
//	                             align; none for a single column. Required if two of them fit
//	      quote:                 the character around cells, or none. Required if quotes are ordinary characters at
//	                             first, and quoted cells follow. If it is set, lines inside quotes are never taken for
//	                             rows, even if they look like rows
//	      escape:                double | backslash   how a quote is written inside quotes
//	      lenient:               false     true takes a stray quote as an ordinary character
//	      ragged:                reject | keep    the rows of a text file that have more or fewer cells than the header:
//	                             rejected, and the file refused if most rows are so; or taken as they are, which is right
//	                             for exports that leave out the blank cells at the end of a row
//	      cut:                   reject | keep    the last row of a text file that has no line break at its end, if most
//	                             of the last three files had one, the row is short, or its last cell is unlike its column
//	      totals:                reject | keep    the rows that look like totals of the rows above, such as "Total: 300",
//	                             and lines of dashes
//	      sheet:                 name of a sheet, its number from 1, a pattern, or several of these: "20*",
//	                             "Acme | Birch"; sheets with the same header are read as one. Left out: a workbook is
//	                             refused if several of its sheets have the expected header. A hidden sheet is read only
//	                             by its name or number; the report names those with the same header
//	      merged:                merged cells: empty, only the top left one has the value; down, right or all repeat it
//	      covered:               reject | keep    cells of a workbook that are covered by a merged cell and hold another
//	                             value than it shows: rejected if the mapping reads them, or taken as they are
//	      ignore_hidden:         false     true is the former way to write hidden: skip
//	      hidden:                reject | keep | skip    the rows that a workbook does not show because they are filtered
//	                             out or hidden by hand: rejected, taken like any other, or left out
//	      header:                number of the row with the column names
//	      header_rows:           how many rows they take; required if only its looks tell whether the second row is data
//	      no_header:             true if there are none: columns go by their letters
//	      footer_rows:           how many rows at the end are no data
//	      footer:                a regular expression for the first cell of rows that are no data, anywhere in the file:
//	                             "^Total:?$"
//	      password:              {env: NAME} or {file: PATH}    opens an encrypted workbook
//	    after:                   a job, or a list of jobs: this job is sent only if the last run of each ended
//	                             completely, with nothing failed, in doubt or held; otherwise it is refused. Jobs that
//	                             are run together run in this order
//	    when:                    when docketsync schedule runs the job: a cron expression alone, or
//	      cron:                  minute, hour, day of month, month, day of week: "0 2 * * 1-5". When clocks change, a
//	                             skipped time runs at the first instant after it, and a time that occurs twice runs once;
//	                             a job that is due in every hour of the day follows elapsed time
//	      zone:                  a time zone, such as Europe/Madrid. Left out: that of the machine
//	      after:                 instead of cron, the name of a job: this job is run whenever that one was due and its
//	                             run came to its end; if that run failed or was stopped, this job waits for the next time
//	      delay:                 0s       the longest random delay, so that not all firms start at once
//	      catch_up:              once | never   what happens to runs that were missed because docketsync was not running:
//	                             one run for all of them at the next start (the default), or none
//
// A small installation:
//
//	service:
//	  base_url: https://service.example
//	  paths: {update_case: "/v1/firms/file/{id}"}
//	  subscription_key: {env: DOCKETSYNC_SUBSCRIPTION_KEY}
//	  auth_cookie: {file: /run/secrets/cookie}
//	jobs:
//	  - {name: matters, source: exports/matters.xlsx, mapping: matters.yaml}
package config
