/** A request or report of an agent about its configuration (agent protocol v2, ConfigUpdateRequest). */
export type ConfigUpdate =
  | { readonly kind: 'request_reload' }
  /** The agent refuses the new configuration and keeps the old one. `error` is for the log and never a secret. */
  | { readonly kind: 'config_error'; readonly error: string; readonly field: string | null }
  | { readonly kind: 'restart_required'; readonly reason: string }
  /** Rules and lists, which this gateway does not support. */
  | { readonly kind: 'rule_update' }
  | { readonly kind: 'list_update' };

/** An agent's ConfigUpdateRequest. */
export interface ConfigUpdateRequest {
  readonly requestId: string;
  readonly update: ConfigUpdate;
}
