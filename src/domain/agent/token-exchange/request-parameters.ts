/** Parameters that may occur more than once (RFC 8693, section 2.1). */
export const repeatableParameters: ReadonlySet<string> = new Set(['audience', 'resource']);

/** Parameters that mean something here (RFC 8693, section 2.1; RFC 6749, section 2.3.1; RFC 7521, section 4.2). Others are ignored. */
export const exchangeParameters: ReadonlySet<string> = new Set([
  'grant_type',
  'resource',
  'audience',
  'scope',
  'requested_token_type',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'client_id',
  'client_secret',
  'client_assertion_type',
  'client_assertion',
]);

/** The fields of a form by their names. */
export type ExchangeParameters = ReadonlyMap<string, readonly string[]>;

/** The values of a parameter; one without a value is as if it were not there (RFC 6749, section 3.2). */
export const parameterValues = (fields: ExchangeParameters, name: string): readonly string[] =>
  (fields.get(name) ?? []).filter((value) => value !== '');

/** The value of a parameter that occurs once at the most; null: it is not there. */
export const parameterValue = (fields: ExchangeParameters, name: string): string | null =>
  parameterValues(fields, name)[0] ?? null;
