/**
 * Tables for credentials, which must never be part of an object, an index, the change log or an export. Keyed by the uid of the
 * user; secrets are stored only as digests.
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

  -- Secrets of personal access tokens; token is the uid of the token's object.
  CREATE TABLE token_digests (
    digest text PRIMARY KEY,
    token text NOT NULL UNIQUE,
    uid text NOT NULL,
    user_name text NOT NULL,
    roles text,                         -- a JSON array when the token is narrowed to some
    expires_at bigint,
    token_name text                     -- by which people recognize it
  );
  CREATE INDEX token_digests_uid ON token_digests (uid);

  -- Identities at OpenID Connect providers; one per user and issuer.
  CREATE TABLE identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    uid text NOT NULL,
    user_name text NOT NULL,
    linked_at bigint NOT NULL,
    signed_in_at bigint,                -- by it, last
    roles text NOT NULL,                -- a JSON array: what the issuer gave then
    bound bigint NOT NULL,              -- 1 while there may be bindings that give them
    PRIMARY KEY (issuer, subject),
    UNIQUE (uid, issuer)
  );
  CREATE INDEX identities_bound ON identities (bound, signed_in_at);

  -- Logins at a provider in progress. Useless without the browser's cookie.
  CREATE TABLE oidc_logins (
    state text PRIMARY KEY,             -- a digest
    browser text NOT NULL,              -- of its cookie, a digest
    provider text NOT NULL,
    nonce text NOT NULL,
    verifier text NOT NULL,
    return_to text NOT NULL,
    uid text,                           -- who links an identity to itself
    session_id text,                    -- and by which session
    address text NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX oidc_logins_expires_at ON oidc_logins (expires_at, address);

  -- Setup secrets for the first administrator; unused once one exists.
  CREATE TABLE setup_secrets (digest text PRIMARY KEY, expires_at bigint NOT NULL);

  -- Names of deleted users, which are never reused.
  CREATE TABLE retired_names (name text PRIMARY KEY);

  CREATE TABLE login_failures (key text PRIMARY KEY, failures bigint NOT NULL, last_at bigint NOT NULL);

  CREATE TABLE login_attempts (key text PRIMARY KEY, level double precision NOT NULL, at bigint NOT NULL);

  -- Addresses from which an account has signed in: failures elsewhere must not lock a user out there.
  CREATE TABLE known_logins (account text NOT NULL, network text NOT NULL, last_at bigint NOT NULL,
    PRIMARY KEY (account, network));
  CREATE INDEX known_logins_last_at ON known_logins (last_at);
`

/** Tables that belong to no model, in SQL that both engines understand. */
export const hostTables = `
  ${credentialTables}

  -- Plugin packages, split into parts: a package may be larger than a row should be.
  CREATE TABLE plugin_packages (
    digest text NOT NULL,
    part bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (digest, part)
  );

  -- Counters that serialize writes, one row for each order.
  CREATE TABLE write_counters (name text PRIMARY KEY, count bigint NOT NULL);
`

/** The latest log lines of plugins. */
export const pluginLines = `(
  plugin text NOT NULL,
  number bigint NOT NULL,
  replica text NOT NULL,                -- its id
  replica_name text NOT NULL,
  at bigint NOT NULL,                   -- when the host received it
  line text NOT NULL,
  PRIMARY KEY (plugin, number)
)`
