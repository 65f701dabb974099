// Package config reads the settings of one installation from a YAML file, usually docketsync.yaml, and reports every
// mistake in it at once with line and column.
//
// The file is read strictly over the settings of Default: a key that does not exist, a value of the wrong type, a word
// that is none of a setting's words is a fault. Only cmd reads flags and the environment; Load is given functions for
// the environment and for files. Settings travel from here to the other packages as plain values put together in cmd, so
// no other package imports this one.
//
// The decision that is not obvious is where secrets may stand: nowhere in the file. A key, a cookie or a password is
// named, as an environment variable or as a file, and lives in a type (Secret) that cannot be printed. A default for a
// secret counts for the sandbox and loopback addresses alone, where it guards nothing. A password that somebody writes
// into the file all the same is taken out of the message that refuses it. The service's key, cookie and password are
// at least eight characters long, since shorter ones stand in too many words to be kept out of what is shown, except where
// they guard nothing. They are needed by those who send: that one of them cannot be had is no fault of the file, and Missing says so when it matters.
// So a mapping can be checked on a machine that holds no secrets. A file that holds one and that every user of the machine can
// open is refused, whoever needs it (see secret_files below).
//
// # Reference
//
// Every scalar may be written as
//
//	{env: NAME}                  the value of an environment variable; not set, or empty, is a fault
//	{env: NAME, default: VALUE}  the same, with a value for when it is not set
//
// The folder jobs.d beside the file may hold more jobs, each in a file of its own (NAME.yml) with the settings of an item of jobs: below
// (name, source, mapping and so on). They count as if they stood at the end of jobs:, in the order of the names of their files; files
// whose names begin with a dot, or end in anything but .yml or .yaml, are not read. The web console saves jobs there, and no
// program edits the configuration itself. A job can be moved from one place to the other by hand.
//
// Relative paths start from the folder of the configuration, those in jobs.d too. Times are written with units (500ms, 30s, 5m; days as 400d), sizes too (64KiB,
// 1MiB, 10MB). A file may use anchors (&name), aliases (*name) and merge keys (<<).
//
//	service:                     where payloads go
//	  base_url:                  https://…; http:// for loopback addresses alone; or the word sandbox: the sandbox in
//	                             the process. Required. A ledger is about one base_url (docketsync ledger accept-service)
//	  account:                   what you call the account at the service, such as live. With it the key and the user may change; without it
//	                             a ledger is about one of each, and another has to be confirmed (docketsync ledger accept-service)
//	  paths:                     what is appended to base_url for each operation
//	    create_case:             /v1/firms/file
//	    create_folder:           /v1/firms/folder
//	    update_case:             no default: interface.md does not state it. {id} stands for the id of the case
//	    update_trademark:        no default, as above
//	  subscription_key:          {env: NAME} or {file: PATH}. Sent with every request. Required, but for the sandbox
//	  auth_cookie:               {env: NAME} or {file: PATH}. The user's authentication cookie
//	  cookie_header:             .Service.AuthCookie   the header that carries it, letter by letter
//	  folder_cookie:             true     whether create folder carries it too
//	  user_agent:                what requests call themselves. Left out: docketsync and its version
//	  sign_in:                   how to get a new cookie when the service does not take the one in use. One of
//	    command:                 [program, argument, …]   prints the cookie; runs in the folder of this file
//	    path:                    the login operation of the service, such as /v1/login, with
//	    user:                    the name to sign in with, and
//	    password:                {env: NAME} or {file: PATH}
//	    user_member:             user_name   the member of the login's body that holds user, and
//	    password_member:         password    the one that holds password
//	  create_case_variant:       A | B    which field list of create case the service takes
//	  switches:                  what interface.md says in two ways
//	    active:                  boolean | text            active of update case
//	    registration_number:     text | integer            registration_number of update trademark
//	    component_id:            omit | same | null        id of a component: left out, file_template_component_id, null
//	    do_not_create_file:      send | omit               whether update trademark may carry it
//	    folder_file_number:      number | text             number of a file in create folder
//	    update_answer:           json | any                the body of update case's 200: JSON with the details, or anything
//	                             but a web page or what is compressed, also nothing
//	  not_read_back:             fields whose values the service's answers do not show as they are stored, as a list such as
//	                             [client_id, files.user_id]; they are not compared with what was sent
//	  timeout:                   30s      the longest that one request may take
//	  answer_limit:              1MiB     how much of an answer is read
//	  ca_file:                   a PEM file of certificate authorities to trust beside the system's. A service that does not prove
//	                             who it is stops the run with nothing sent to it
//	  proxy:                     none | environment   the proxy that HTTPS_PROXY and NO_PROXY name. In its
//	                             password, write %23 for #, %2F for /, %3F for ? and %25 for %
//	  lists:                     list operations that the service has beyond interface.md; lookups take names from them, and
//	                             docketsync resolve --ask looks in cases and folders for what is in doubt
//	    settle_after:            10m      how long ago a record must have been looked for first for "it is not in the list" to count
//	    NAME:                    a list, by the name that mappings call it; its path alone, or
//	      path:                  such as /v1/lists/companies; asked with ?skip=…&take=…. Required
//	      id:                    id       the member of an item with its id; in all members a dot leads into an object:
//	                                      client.id
//	      name:                  name     the member with the name, or a list of members that each hold one; of the list
//	                                      cases it is number
//	      items:                 the member with the items; left out, the answer is an array or has them in items or data
//	      total:                 total    the member that says how many there are in all, where there is one
//	      take:                  100      items asked for at once; 0 for a list that the service gives whole
//	      max_age:               0s       how old a fetched list may be for a run or a plan; 0s fetches it for each
//	      same:                  of cases and folders: what an item must hold to be the record that was sent, beside its
//	                             number or name, as {member of the payload: member of the item}. Unless said
//	                             otherwise {name: name} for cases, {client_id: client_id} for folders
//	      changed:               of cases and trademarks: holds an update whose record somebody else has changed in the service since
//	                             docketsync last updated it, until a person has decided whose values stand. The list is read before
//	                             a run sends, and again every ten minutes
//	        at:                  the member with the time of the last change, and
//	        by:                  the one with who made it; one of the two at least. With at alone the list is read once more after a run
//	        us:                  the accounts that docketsync signs in with, as by shows them; give it one of its own
//	        fields:              where values stand that an item does not have under the name of the payload's field, as
//	                             {field of the payload: member of the item}
//	        unknown:             hold | send   the update of a record of which nobody can tell: the list lacks it, or tells too little
//
//	retry:                       when a request is sent again
//	  creates:                   never | always   always only where the service is safe to be sent a create twice
//	  refused:                   24h      for how long a record that the service refused is not sent again unless its rows, or what
//	                                      they are looked up in, have changed, or base_url or its path has; or always, never.
//	                                      run --retry-refused does not wait
//	  first_delay:               500ms    the wait before the second attempt
//	  max_delay:                 30s      the longest wait between two attempts
//	  total:                     5m       how long a record is tried before it is left to the next run
//	  retry_after_cap:           2m       the longest wait that the service may ask for
//
//	pace:                        how much is sent at a time
//	  concurrency:               8        requests under way at once, 1 to 256
//	  rate:                      0        requests in a second, 0 for no limit
//
//	guards:                      what stops a run before anything is sent, because the export differs too much from the one of the
//	                             job's last finished run; a first run has none to be compared with, unless the job was renamed,
//	                             and before a run has finished only missing rows and records count, and dates_shifted,
//	                             days_swapped, ids_changed and scope. Somebody looks at it and lets it through with
//	                             docketsync run JOB --accept-guard. Shares are written as 20%; off switches a guard off
//	  changes:                   20%      records that are new or changed, of the records of the last run; what was left unsent
//	                             then, and what was created and had changed by then, does not count. A firm changes
//	                             a few percent a night
//	  max_changes:               0        the same as a number of records, 0 for any number
//	  rows_fell:                 20%      rows that are missing: an export that was cut off
//	  vanished:                  10%      records of the last run that are gone from the export
//	  rejects:                   10%      points by which the share of rejected records rose; what is rejected every night
//	                             does not stop every night
//	  dates_shifted:             5%       records of which all dates moved by one and the same number of days
//	  days_swapped:              3        so many records of which nothing changed but day and month of dates, which changed
//	                             places (2024-03-04, 2024-04-03); 0 for any number
//	  ids_changed:               1        so many keys whose updates name another case or trademark than the last accepted ones,
//	                             as a lookup that was sorted wrongly makes them; 0 for any number
//	  scope:                     stop | ignore   a mapping whose scope is another one than in the last run, so that all would
//	                             be sent as if it never was; also records to be created that were created under another
//	                             scope, a job that creates what it updated before, two jobs of one scope that overwrite each
//	                             other's values, and a renamed job whose corrected cells are under its former name
//	  empty:                     stop | ignore   an export without rows, where the last one had some; also one that is
//	                             empty, cut off or damaged, so that it cannot be read
//	  header:                    stop | ignore   names over the columns that are gone, new or in another order, also where
//	                             the mapping cannot do without; what cannot be read or mapped cannot be let through
//	  columns:                   stop | ignore   a column that went blank, or half of which holds another kind of values
//	                             (dates, numbers, words, ids, codes)
//	  same_file:                 ignore | stop   a file that is byte for byte the one of the last run
//	  listed:                    stop | ignore   a ledger that knows nothing yet, or was lost, and would create what the lists
//	                             cases and folders have already; docketsync ledger adopt JOB takes it over
//	  older_than:                0s       how long ago the file was last written, 0s for any time; 36h suits an export that is
//	                             made every night. A time more than a day in the future stops too
//	  least:                     10       shares of fewer rows, records or cells than this do not count
//
//	stop_after:                  what stops a run because of what the service answers, with status 5; what was not sent is held. It
//	                             counts over all starts of a run. 0 and off switch a limit off
//	  same_refusal:              5        first records that are refused with one status that speaks of the request rather than the
//	                             record (404, 405, 410, 415, 501), or four times as many in equal words, or with 404 or
//	                             410 where the operation had a yes in an earlier run: a path, a switch or a value that
//	                             all records carry is probably wrong. They go out again with the rest when the job is
//	                             run again
//	  same_difference:           5        first accepted records, out of four times as many, whose answers show one and the same
//	                             field with a different value than was sent: a switch or the service is probably wrong
//	  in_doubt:                  50       records that are in doubt. The run goes on once enough of them are settled
//	  failed:                    200      records that failed though they were tried again; the next run takes them up
//	  rejected:                  50%      of the answers of the service, from 100 on, that are refusals
//
//	ledger:                      docketsync.db   a file, or postgres://… (with a password: {env: NAME})
//	ledger_server:               where the ledger is a PostgreSQL database
//	  outage:                    60s      how long a run waits for a server that is away: after 2s at most nothing new is sent, no create
//	                             even before, and the answers in hand are kept; 0s for not at all
//	  lagging_standby:           refuse | accept   a standby that not every commit waits for (synchronous_standby_names):
//	                             one that takes over may lack the newest commits, and their creates would be sent again
//	  ca_file:                   a PEM file of certificate authorities to trust beside the system's. A server off this machine has to
//	                             prove its name over TLS, as with sslmode=verify-full, which need not be said
//	  unverified:                refuse | accept   a server off this machine that nobody checks (another sslmode in the address):
//	                             a false one could read and change the ledger. It never gets the password in clear text
//	  schema:                    address | folder   where the ledger's tables are: in the schema that the address says, or in the one named like
//	                             the folder of this file, so that firms/acme/docketsync.yaml has its own. It is not made by docketsync
//	reports:                     reports         a folder
//	copy_reports:                NAME:/folder    a folder of a remote that gets a copy of every run's reports
//
//	remotes:                     places on other machines, for sources and reports
//	  NAME:                      one of them, by the name that files are addressed with: NAME:/out/matters*.csv
//	    sftp:                    an SFTP server
//	      host:                  its name or address. Required
//	      port:                  22
//	      user:                  the name to sign in with. Required
//	      private_key:           {file: PATH} or {env: NAME}    the user's key, in PEM or OpenSSH form
//	      passphrase:            {env: NAME} or {file: PATH}    opens the private key
//	      password:              {env: NAME} or {file: PATH}    where the server takes one
//	      fingerprint:           the server's key, as ssh-keygen -l shows it: SHA256:…; this or known_hosts is required
//	      known_hosts:           a file with the keys of servers, as OpenSSH keeps it
//	    s3:                      a bucket of an S3-compatible service
//	      endpoint:              https://…; http:// for loopback addresses alone. Required
//	      region:                the service's region, where it has any
//	      bucket:                the name of the bucket. Required
//	      access_key:            {env: NAME} or {file: PATH}. Required
//	      secret_key:            {env: NAME} or {file: PATH}. Required
//	    max_size:                1GiB     how large a file to be fetched may be
//
//	retention:                   how long what nothing needs any more is kept; what decides what is sent is kept for ever.
//	                             'docketsync ledger prune' removes what is older, and so does schedule every night
//	  runs:                      such as 400d: how old a run is when most of its records leave the ledger. Left out: never
//	  reports:                   such as 400d: how old a run is when its reports are removed, and an
//	                             upload of the console that nothing reads. Left out: never
//
//	secret_files:                files that hold secrets
//	  readable:                  refuse | accept   one that every user of this machine can open: those that {file: PATH} names, the
//	                             console's key, and this file where it holds the hash of a password
//
//	log:                         on standard error
//	  level:                     debug | info | warn | error   (info)
//	  format:                    console | json                (console)
//
//	schedule:                    how docketsync schedule behaves as a whole
//	  stop_within:               60s      how long a run may take to finish what is in flight when docketsync is asked to stop;
//	                             then it is cut off, and what was in flight may be in doubt
//
//	notify:                      who is told how jobs fare: when a job breaks, once a day while it stays broken, when it has recovered
//	  firm:                      what subjects call this installation
//	  link:                      where reports can be opened: https://files.example/reports/{folder}/report.html. {folder} is the
//	                             name of a report's folder. Left out, messages link to the run in the console (console.url)
//	  rejects_above:             0        how many records of a run may be rejected or fail before the job counts as broken
//	  timeout:                   30s      the longest that one message or ping may take
//	  ca_file:                   a PEM file of certificate authorities to trust beside the system's
//	  channels:                  ways to people
//	    NAME:                    a channel, by the name that logs call it: one of mail, slack, teams, webhook
//	      mail:                  over SMTP
//	        server:              host:port, such as smtp.firm.example:587. Required
//	        tls:                 starttls | implicit | none   none for a server on this machine alone
//	        user:                the name to sign in with, and
//	        password:            {env: NAME} or {file: PATH}
//	        from:                the sender. Required
//	        to:                  a receiver, or a list. Required
//	        attach:              true     whether report.html and rejects.xlsx go with the mail, and
//	        attach_limit:        10MB     how large they may be together; what does not fit is named instead
//	      slack:                 {env: NAME} or {file: PATH}   the URL of an incoming webhook
//	      teams:                 {env: NAME} or {file: PATH}   the URL of a workflow that posts to a channel
//	      webhook:               {env: NAME} or {file: PATH}   a URL that is sent the message as JSON
//	      on:                    [broken, still_broken, recovered]   what the channel is told; also success: a summary of the
//	                             first run of a day that went well
//	  ping:                      a dead man's switch: a service that raises the alarm when it was not asked for too long
//	    url:                     {env: NAME} or {file: PATH}   asked after each run; {job} in it stands for the job's name, and
//	                             must be there where there are several jobs
//	    on:                      success | always   after which runs
//	    start_and_fail:          false    true also asks URL/start before a run, and URL/fail after one that went badly
//
//	certificate:                 how certificates of migrations are signed
//	  private_key:               {env: NAME} or {file: PATH}   an Ed25519 key, as docketsync certificate new-key makes it. Left out,
//	                             with command too, certificates are not signed
//	  command:                   [program, argument, …]   prints that key, such as one of a vault; runs in the folder of this file
//
//	metrics:                     how the installation can be watched
//	  listen:                    host:port where schedule and node serve /metrics, /livez, /healthz and /readyz, such as 127.0.0.1:9180
//	  textfile:                  a file that ends in .prom and is written after every run, for node_exporter
//	  traces:                    where a trace of every run is posted as OTLP in JSON, such as http://127.0.0.1:4318/v1/traces
//
//	console:                     how docketsync console serves its pages
//	  listen:                    127.0.0.1:8180   host:port. Off this machine it needs a sign-in (users or oidc), and tls or proxies.
//	                             Or unix: and the path of a socket, which only its owner can open
//	  url:                       the address that people open, such as https://docketsync.firm.example; it answers to no other
//	                             name then. Required with oidc. Messages and reports link to its pages
//	  tls:                       the console's certificate
//	    cert:                    a file in PEM form, with what leads to an authority behind it
//	    key:                     a file in PEM form that only docketsync can read
//	  proxies:                   [10.0.0.5]       instead of tls: proxies in front that speak https with browsers, say so in
//	                             X-Forwarded-Proto, and where from in X-Forwarded-For. All others are refused then
//	  sign_in:                   here | firms   (here)   firms in the configuration of a firm: people sign in at the console of all firms
//	                             (firms below), and users (name, role and jobs) and oidc (operators, viewers and jobs) say who may do what
//	                             in this firm. A console of all firms has users (name and password) and oidc without these
//	  users:                     a list of people who sign in with a password; left out, with oidc too, the console prints an
//	                             address that lets in one browser. A change counts within a second, and ends the sessions that
//	                             it concerns
//	    - name:                  what they type, in any case. Required
//	      role:                  viewer | operator   who looks, and who also runs, settles and lifts. Required
//	      jobs:                  the jobs that the person sees, by name: nothing of any other job is shown or can be done, nor
//	                             what concerns the installation as a whole. Left out, all
//	      password:              what docketsync console password prints, in single quotes; or {env: NAME} or {file: PATH}
//	  oidc:                      a provider of OpenID Connect that people sign in with
//	    issuer:                  https://…, under which it answers /.well-known/openid-configuration. Required
//	    client_id:               the name that it knows the console by. Required. What it sends people back to is
//	                             console.url with /sign-in/callback behind
//	    client_secret:           {env: NAME} or {file: PATH}
//	    claim:                   groups, roles, … or email: what of a person decides about the role. Required
//	    operators:               values of the claim that make somebody an operator, and
//	    viewers:                 a viewer; who has none of both does not come in
//	    jobs:                    {VALUE: [JOB, …]}   the jobs that people of such a value see, as jobs of users above, or ['*'] for
//	                             all of them; of several values that give the same role those of each. Left out, all see all;
//	                             otherwise a value that is not listed here lets nobody in
//	  session:                   how long people stay signed in
//	    idle:                    30m      without doing anything; where nobody signs in, it ends nothing
//	    lifetime:                12h      at all
//	  upload_limit:              50MiB    how large a file may be that somebody uploads
//	  uploads:                   uploads  a folder that keeps them
//
//	sandbox:                     what the sandbox holds
//	  data:                      sandbox.db      a file; "" for memory alone
//	  directory:                 a JSON file: templates, users, companies and the other lists, trademarks
//
//	firms:                       a folder of firms, each a folder with a docketsync.yaml of its own, that docketsync node serves together. Such a
//	                             file has no service and no jobs; its ledger, log, notify and metrics are those of the nodes
//	labels:                      labels that a node must have to serve this firm: {region: eu}; see docketsync node --label
//	  NAME:                      a value
//
//	jobs:                        a list, in the order in which the jobs run; those of jobs.d (see above) run after them
//	  - name:                    what commands and reports call it: letters, digits, - . _
//	    mapping:                 the mapping file
//	    vanished:                list | inactive   records of the last run that are gone from the export, also those that the
//	                             mapping leaves out now: listed in the report, or, of update_case alone, sent once more
//	                             with active: false, unless another job of the scope had them in its last export and this one
//	                             has not read seven since. What was gone before inactive was set, or is gone from the first
//	                             export of a job that was renamed, is listed. (list)
//	    guards:                  the job's own, by their names in guards above, over those of the installation
//	    source:                  the path of a file, or
//	      file:                  a path, or a list of paths of files of one shape. NAME:/out/matters*.csv is a file of the
//	                             remote NAME: it is fetched first; of several that fit, the one that was written last. One that
//	                             an SFTP server has from the last minute is fetched once it has stayed as it is for a minute
//	      inbox:                 instead of file: a folder that files arrive in, each of which is run. Its path alone, or
//	        folder:              the watched folder; it may be on a network share. Required
//	        files:               "*"      the names to be taken, with * and ?; a list where there are several. They must leave out what is
//	                             in the folder for docketsync itself, such as this file, and what other jobs read there
//	        holds:               export | changes   what each file is: the whole export; or the rows that are new or changed,
//	                             with which nothing vanishes and nothing is guarded. A file of changes of which something
//	                             failed, is in doubt or held, or waits for an id or for the answer whether it was renamed,
//	                             is kept and run again, and later ones wait for it
//	        take:                all | newest   all in order; or the newest alone, and those before it are put away
//	        order:               time | name    of when they were last written, or of their names, in which matters-9 stands before matters-10
//	        poll:                30s      how often the folder is looked into
//	        still:               1m       how long size and time of a file must have held still, and once more after it was
//	                             moved out of the folder; one that is written to meanwhile is put back
//	        patience:            1h       how long docketsync waits for the rest of a file that looks incomplete: an archive or a workbook without its end,
//	                             a text file without a line break at its end where most of the last three had one; and how long the
//	                             schedule looks at a file in the archive, which is put back too when its writer goes on
//	        marker:              .done    only files beside which X.csv.done stands for X.csv; left out, all
//	        archive:             archive  a folder, from the watched one on: archive/2024/03/RUN-X.csv
//	        rejected:            rejected   the same for files that no run can be made of, with X.csv.reason.txt
//	      format:                csv (any delimiter), xlsx, ods or xls    what follows is found out where it is left out. Trademark files
//	                             of the offices (XML in the forms ST.96 and ST.66) are known by how they begin
//	      encoding:              utf-8, windows-1252, …    character set of a text file; required for one that is neither UTF-8 nor
//	                             UTF-16 where it holds more than ASCII
//	      delimiter:             ";" or semicolon, comma, tab, pipe, space; spaces for columns that two or more
//	                             spaces align; none for a single column. Required where two of them fit
//	      quote:                 the character around cells, or none. Required where quotes are characters first, and cells in
//	                             quotes follow. Set, it also says that lines inside quotes are none of them rows, where they
//	                             look like some
//	      escape:                double | backslash   how a quote is written inside quotes
//	      lenient:               false     true takes a stray quote as an ordinary character
//	      ragged:                reject | keep    the rows of a text file that have more or fewer cells than the header:
//	                             rejected, and the file refused where most rows are so; or taken as they are, which is right
//	                             for exports that leave out the blank cells at the end of a row
//	      cut:                   reject | keep    the last row of a text file without a line break at its end, where most of the
//	                             last three files had one, the row is short, or its last cell is unlike its column
//	      totals:                reject | keep    the rows that look like totals of the ones above, such as "Total: 300", and lines of dashes
//	      sheet:                 name of a sheet, its number from 1, a pattern, or several of these: "20*", "Acme | Birch"; sheets of
//	                             one header are read as one. Left out, a workbook with several sheets of the header asked for is
//	                             refused
//	      merged:                          merged cells: empty, only the top left one has the value; down, right or all repeat it
//	      covered:               reject | keep    the cells of a workbook that merged cells cover and that hold another value than
//	                             those show: rejected where the mapping reads them, or taken as they are
//	      ignore_hidden:         false     true is hidden: skip, as it was called before
//	      hidden:                reject | keep | skip    the rows that a workbook does not show, filtered away or hidden by hand: rejected,
//	                             taken like any other, or left out
//	      header:                number of the row with the column names
//	      header_rows:           how many rows they take; required where only looks tell whether the second one is data
//	      no_header:             true where there are none: columns go by their letters
//	      footer_rows:           how many rows at the end are no data
//	      footer:                a regular expression for the first cell of rows that are no data, wherever they stand: "^Total:?$"
//	      password:              {env: NAME} or {file: PATH}    opens an encrypted workbook
//	    after:                   a job, or a list of jobs: this one is sent only when the last run of each has ended completely, with nothing
//	                             failed, in doubt or held; it is refused otherwise. Jobs that are run together run in this order
//	    when:                    when docketsync schedule runs the job: a cron expression alone, or
//	      cron:                  minute, hour, day of month, month, day of week: "0 2 * * 1-5". Where clocks change, a time
//	                             that is skipped comes at the first instant after it, and one that is there twice counts
//	                             once; what is due in every hour of the day follows the time that passes
//	      zone:                  a time zone, such as Europe/Madrid; left out, that of the machine
//	      after:                 instead of cron, the name of a job: this one is run whenever that one was due and its run
//	                             came to its end; when it failed or was stopped, this one waits for the next time
//	      delay:                 0s       the longest random delay, so that not all firms come at once
//	      catch_up:              once | never   what becomes of runs that were missed because docketsync was not running:
//	                             one run for all of them at the next start (which holds where nothing is said), or none
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
