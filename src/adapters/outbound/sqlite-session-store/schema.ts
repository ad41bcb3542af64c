/** Application id ("PCSS") in the SQLite header (https://sqlite.org/fileformat2.html). */
export const applicationId = 0x50435353;

/**
 * The first version. A space holds the data of one service provider. Triggers count its sessions,
 * because counting would read all rows.
 */
const firstVersion = `
CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  sessions INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces (id),
  id_hash TEXT NOT NULL,
  user_id TEXT NOT NULL,
  name_id TEXT NOT NULL,
  name_id_format TEXT,
  name_qualifier TEXT,
  sp_name_qualifier TEXT,
  session_index TEXT,
  issuer TEXT NOT NULL,
  subject_hash BLOB NOT NULL,
  attributes TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  last_seen_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_by_hash ON sessions (space, id_hash);
CREATE INDEX sessions_by_subject ON sessions (space, subject_hash);
CREATE INDEX sessions_by_user ON sessions (space, user_id, created_ms);
CREATE INDEX sessions_by_creation ON sessions (space, created_ms);
CREATE INDEX sessions_by_expiry ON sessions (space, expires_ms);
CREATE INDEX sessions_by_last_seen ON sessions (space, last_seen_ms);
CREATE TRIGGER sessions_inserted AFTER INSERT ON sessions
BEGIN UPDATE spaces SET sessions = sessions + 1 WHERE id = NEW.space; END;
CREATE TRIGGER sessions_deleted AFTER DELETE ON sessions
BEGIN UPDATE spaces SET sessions = sessions - 1 WHERE id = OLD.space; END;

CREATE TABLE replays (
  space INTEGER NOT NULL REFERENCES spaces (id),
  message TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  PRIMARY KEY (space, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX replays_by_end ON replays (space, until_ms);

CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces (id),
  handle_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('sign_on', 'sign_out')),
  request_id TEXT NOT NULL,
  binding_hash TEXT,
  return_to TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX requests_by_handle ON requests (space, handle_hash);
CREATE INDEX requests_by_creation ON requests (space, created_ms);
CREATE INDEX requests_by_expiry ON requests (space, expires_ms);
CREATE TRIGGER requests_inserted AFTER INSERT ON requests
BEGIN UPDATE spaces SET requests = requests + 1 WHERE id = NEW.space; END;
CREATE TRIGGER requests_deleted AFTER DELETE ON requests
BEGIN UPDATE spaces SET requests = requests - 1 WHERE id = OLD.space; END;
`;

/** The migration to each version. Released migrations never change. */
export const migrations: readonly string[] = [firstVersion];

/**
 * Columns that sessions have beside the versions. Earlier releases insert no value for them and
 * select none, so both can use one file while a program is upgraded.
 */
export const addedColumns: readonly { readonly name: string; readonly definition: string }[] = [
  { name: 'method', definition: "TEXT NOT NULL DEFAULT 'saml'" },
  { name: 'details', definition: 'TEXT' },
  // The refresh lease. A null holder with a time: the back-off after a failure.
  { name: 'refresh_holder', definition: 'TEXT' },
  { name: 'refresh_held_until_ms', definition: 'INTEGER NOT NULL DEFAULT 0' },
];

/**
 * Counts of sessions by method, kept by triggers. Created once, after `addedColumns`: the table then counts the
 * sessions that are there. The triggers also count what earlier releases write.
 */
export const methodCounts = {
  table: 'session_counts',
  creation: `
CREATE TABLE session_counts (
  space INTEGER NOT NULL REFERENCES spaces (id),
  method TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  PRIMARY KEY (space, method)
) STRICT, WITHOUT ROWID;
INSERT INTO session_counts SELECT space, method, COUNT(*) FROM sessions GROUP BY space, method;
CREATE TRIGGER sessions_inserted_by_method AFTER INSERT ON sessions
BEGIN
  INSERT INTO session_counts VALUES (NEW.space, NEW.method, 1)
    ON CONFLICT (space, method) DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER sessions_deleted_by_method AFTER DELETE ON sessions
BEGIN
  UPDATE session_counts SET sessions = sessions - 1 WHERE space = OLD.space AND method = OLD.method;
END;
`,
} as const;

/**
 * Schema additions without a new version, so that earlier releases can still open the file.
 * Answered requests are bounded by their ascending ids. The columns of kept forms show nothing of a form.
 */
export const additions = `
CREATE TABLE IF NOT EXISTS answered_requests (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces (id),
  handle_hash TEXT NOT NULL,
  request_id TEXT NOT NULL,
  binding_hash TEXT,
  return_to TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS answered_requests_by_handle ON answered_requests (space, handle_hash);
CREATE INDEX IF NOT EXISTS answered_requests_by_expiry ON answered_requests (space, expires_ms);

CREATE TABLE IF NOT EXISTS kept_forms (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces (id),
  handle_hash TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS kept_forms_by_handle ON kept_forms (space, handle_hash);
CREATE INDEX IF NOT EXISTS kept_forms_by_creation ON kept_forms (space, created_ms);
CREATE INDEX IF NOT EXISTS kept_forms_by_expiry ON kept_forms (space, expires_ms);
`;

/** Additions that need the added columns. An OpenID provider ends a session by its name alone. */
export const addedIndexes = `
CREATE INDEX IF NOT EXISTS sessions_by_name ON sessions (space, session_index) WHERE method = 'oidc';
`;
