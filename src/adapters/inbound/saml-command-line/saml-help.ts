/** What the helps of `gateway-auth saml` and `gateway-auth sessions` say after the options. */
export const samlHelp = `
Commands, each with a --help of its own:
  gateway-auth saml metadata  write the metadata that the identity provider is given

Examples:
  gateway-auth saml metadata --config gateway.kdl --agent auth > metadata.xml
`;

export const metadataHelp = `
The metadata is what the agent serves at metadata-path: entity id, consumer and sign-out URLs, the certificate where sp-cert-file
names one. The saml block need not be enabled yet, and nothing is asked of the identity provider.

Examples:
  gateway-auth saml metadata --config gateway.kdl                  the only agent of the file
  gateway-auth saml metadata --config gateway.kdl --agent auth     one of several, to the standard output

Exit codes:
  0  the metadata is written
  1  the configuration has errors, or a key or certificate cannot be read
  2  wrong usage
`;

export const sessionsHelp = `
Commands, each with a --help of its own:
  gateway-auth sessions list    the sessions that are kept, the latest first
  gateway-auth sessions show    everything that is kept of one
  gateway-auth sessions revoke  end sessions

The store is that of an agent block (--config), or a file of sqlite (--store-path and --entity-id). A store that is missing is not
made. A sqlite file can be read by its owner alone: run these as the user that the agent runs as.

Examples:
  gateway-auth sessions list --config gateway.kdl --agent auth
  gateway-auth sessions show --config gateway.kdl 3f9a1c7be204
  gateway-auth sessions revoke --config gateway.kdl --user alice@example.com
`;

const storeExitCodes = `
  1  the configuration has errors, or the store cannot be used`;

export const listHelp = `
One line for each session: the beginning of its id, the user, its state (active, idle or expired, as far as time tells), when it was
created, expires and was last seen, and the identity provider. Times are UTC. Sessions that are over are there until the agent
removes them. When a session was last seen is noted some seconds later. The id is a hash: it signs nobody in.

Examples:
  gateway-auth sessions list --config gateway.kdl                          the latest 100
  gateway-auth sessions list --config gateway.kdl --user alice --limit 10
  gateway-auth sessions list --store-path /var/lib/gateway-auth/sessions.db \\
      --entity-id https://gateway.example/saml/metadata --json

Exit codes:
  0  the sessions are written, or there are none${storeExitCodes}
  2  wrong usage
`;

export const showHelp = `
An id may be shortened, to 8 characters and more, as long as no other session begins so. Attributes are those that the identity
provider sent: mind where the output goes.

Examples:
  gateway-auth sessions show --config gateway.kdl 3f9a1c7be204
  gateway-auth sessions show --config gateway.kdl --json 3f9a1c7b

Exit codes:
  0  the session is written${storeExitCodes}, or there is no such session, or several
  2  wrong usage
`;

export const revokeHelp = `
Agents notice within 5 seconds. The session at the identity provider goes on: whoever still has that one is signed in again without
being asked, so block the account there first. Where one of several ids is unknown, or not unique, nothing is revoked.

Examples:
  gateway-auth sessions revoke --config gateway.kdl 3f9a1c7be204 77aa01b2c3d4
  gateway-auth sessions revoke --config gateway.kdl --user alice@example.com

Exit codes:
  0  the sessions are gone; of a user there may have been none${storeExitCodes}, or an id is unknown or not unique
  2  wrong usage
`;
