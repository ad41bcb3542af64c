import { tokenKinds, tokenTypeUri } from '../../../src/domain/agent/token-exchange/security-token.js';

/** Parameters of a request; undefined leaves one out, an array repeats it. */
export type ExchangeParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The least that a request for an exchange says. */
export const leastParameters = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token: 'aaa.bbb.ccc',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
} as const;

/** Parameters as the reader of a form gives them. */
export const fieldsOf = (parameters: ExchangeParameters): ReadonlyMap<string, readonly string[]> => {
  const fields = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) fields.set(name, [value].flat());
  }
  return fields;
};

/** Every token type that is read. */
export const tokenTypeUris: readonly string[] = tokenKinds.map(tokenTypeUri);
