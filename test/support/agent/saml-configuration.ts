/** A gateway's configuration whose agent "auth" has these lines in its `config`. */
export const samlConfiguration = (config: string): string => `
listeners { listener "http" { address "127.0.0.1:8080" } }
routes { route "all" { matches { path-prefix "/" }; upstream "api"; agents "auth" } }
upstreams { upstream "api" { target "127.0.0.1:8081" } }
agents {
  agent "auth" {
    transport "unix_socket" { path "/tmp/unused.sock" }
    events "request_headers" "request_body_chunk"
    config {
      ${config}
    }
  }
}
`;

/** A `saml` block that needs nothing, with further lines. */
export const samlBlockText = (lines = ''): string => `saml {
        entity-id "https://gateway.example/saml/metadata"
        acs-url "https://gateway.example/saml/acs"
        idp-metadata-url "https://idp.example/metadata"
        ${lines}
      }`;
