/** What an agent wants changed, or has to say, about its configuration (agent protocol v2, ConfigUpdateRequest). */
export type ConfigUpdate =
  | { readonly kind: 'request_reload' }
  /** It cannot take what it was sent; the old one stays. `error` is for the log, never a secret. */
  | { readonly kind: 'config_error'; readonly error: string; readonly field: string | null }
  | { readonly kind: 'restart_required'; readonly reason: string }
  /** Rules and lists that no gateway of ours keeps. */
  | { readonly kind: 'rule_update' }
  | { readonly kind: 'list_update' };

/** An agent's ConfigUpdateRequest. */
export interface ConfigUpdateRequest {
  readonly requestId: string;
  readonly update: ConfigUpdate;
}
