/** Where the audit log goes: what was decided about whom, and what was done to the gateway. */
export interface AuditConfiguration {
  readonly output: { readonly kind: 'stdout' } | { readonly kind: 'file'; readonly path: string };
}
