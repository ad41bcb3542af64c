import type { KeyObject } from 'node:crypto';
import { type FormFields, nowSecs, signedToken } from '../exchange-company.js';
import { type Asked, anonymous, type ExchangeGround } from './exchange-row.js';

const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

let made = 0;

/** Claims of an assertion of the client `service-k`, in order unless changed; an undefined one is left out. */
export const assertionClaims = (ground: ExchangeGround, changes: object = {}): Record<string, unknown> => {
  made += 1;
  return {
    iss: 'service-k',
    sub: 'service-k',
    aud: ground.endpointUrl,
    jti: `jti-${made}`,
    iat: nowSecs(),
    exp: nowSecs() + 60,
    ...changes,
  };
};

/** The same, signed with the key of the client or with another one. */
export const clientAssertion = (
  ground: ExchangeGround,
  changes: object = {},
  key: KeyObject = ground.clientKey.privateKey,
): Promise<string> => signedToken(key, 'ES256', assertionClaims(ground, changes));

/** An exchange whose client shows that assertion, and no other credentials but those among the fields. */
export const shown = (assertion: string, fields: FormFields = {}): Asked => ({
  fields: { client_assertion_type: clientAssertionType, client_assertion: assertion, ...fields },
  call: anonymous,
});

export const withAssertion = async (
  ground: ExchangeGround,
  changes: object = {},
  key: KeyObject = ground.clientKey.privateKey,
): Promise<Asked> => shown(await clientAssertion(ground, changes, key));
