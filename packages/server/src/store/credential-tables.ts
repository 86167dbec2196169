/**
 * What must never be part of an object, an index, the change log or an export: by the uid of the user it belongs to, and
 * secrets only as digests. In words that both engines know.
 */
export const credentialTables = `
  CREATE TABLE passwords (uid text PRIMARY KEY, hash text NOT NULL, changed_at bigint NOT NULL);

  CREATE TABLE sessions (
    digest text PRIMARY KEY,
    id text NOT NULL UNIQUE,            -- what its owner knows it by
    uid text NOT NULL,
    user_name text NOT NULL,
    transport text NOT NULL,            -- cookie or token
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL,         -- moves on with use
    ends_at bigint NOT NULL,            -- does not
    address text NOT NULL,
    agent text NOT NULL
  );
  CREATE INDEX sessions_uid ON sessions (uid);

  -- Of personal access tokens: token is the uid of the object that people see.
  CREATE TABLE token_digests (
    digest text PRIMARY KEY,
    token text NOT NULL UNIQUE,
    uid text NOT NULL,
    user_name text NOT NULL,
    roles text,                         -- a JSON array when the token is narrowed to some
    expires_at bigint
  );
  CREATE INDEX token_digests_uid ON token_digests (uid);

  CREATE TABLE identities (issuer text NOT NULL, subject text NOT NULL, uid text NOT NULL, PRIMARY KEY (issuer, subject));
  CREATE INDEX identities_uid ON identities (uid);

  -- Of the first administrator, until there is one.
  CREATE TABLE setup_secrets (digest text PRIMARY KEY, expires_at bigint NOT NULL);

  -- Of users that were deleted: never given to anybody again.
  CREATE TABLE retired_names (name text PRIMARY KEY);

  CREATE TABLE login_failures (key text PRIMARY KEY, failures bigint NOT NULL, last_at bigint NOT NULL);

  -- Whose credentials have been taken back, for the other replicas to forget what they know of them.
  CREATE TABLE revocations (at bigint NOT NULL, uid text NOT NULL);
  CREATE INDEX revocations_at ON revocations (at);
`
