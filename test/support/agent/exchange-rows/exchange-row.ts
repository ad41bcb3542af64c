import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import type { HttpAnswer, HttpCall } from '../../shared/http-call.js';
import { type ExchangeCompany, type FormFields, nowSecs } from '../exchange-company.js';
import type { LiveOidcProvider } from '../live-oidc-provider.js';

/** Where the rows are tried: a company whose agent knows a live OpenID provider, too, of the audience `api`. */
export interface ExchangeGround extends ExchangeCompany {
  readonly provider: LiveOidcProvider;
}

/** What a row asks for: fields over those of an exchange that is in order, and what differs in the request itself. */
export interface Asked {
  readonly fields?: FormFields;
  readonly call?: HttpCall;
}

/** Seconds since the Unix epoch just before and just after an exchange. */
export interface Moments {
  readonly before: number;
  readonly after: number;
}

type Expectation = (answer: HttpAnswer, ground: ExchangeGround, moments: Moments) => void | Promise<void>;

/** One row: a sentence of a specification, a request, and the answer that it asks for. */
export type Row = readonly [
  section: string,
  says: string,
  asked: Asked | ((ground: ExchangeGround) => Asked | Promise<Asked>),
  expected: Expectation,
];

/** Tries a row. */
export const expectRow = async (ground: ExchangeGround, [, , asked, expected]: Row): Promise<void> => {
  const { fields = {}, call = {} } = typeof asked === 'function' ? await asked(ground) : asked;
  const before = nowSecs();
  const answer = await ground.exchange(fields, call);
  await expected(answer, ground, { before, after: nowSecs() });
  expect(ground.stack.upstream.received).toEqual([]);
};

export const json = ({ body }: HttpAnswer): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

/** RFC 6749, section 5.2: characters that error and error_description may have. */
const errorText = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

export const refused =
  (error: string, status = 400): ((answer: HttpAnswer) => void) =>
  (answer) => {
    const body = json(answer);
    expect(body).toMatchObject({ error });
    expect(answer.status).toBe(status);
    expect(body['error_description']).toMatch(errorText);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['pragma']).toBe('no-cache');
    expect(body).not.toHaveProperty('access_token');
  };

type Claimed = (claims: Record<string, unknown>, answer: HttpAnswer, moments: Moments, ground: ExchangeGround) => void;

export const issued =
  (check: Claimed = () => {}): Expectation =>
  (answer, ground, moments) => {
    expect(answer.body).toContain('access_token');
    expect(answer.status).toBe(200);
    check(decodeJwt(json(answer)['access_token'] as string), answer, moments, ground);
  };

const formType = 'application/x-www-form-urlencoded';

/** A request without credentials of a client. */
export const anonymous: HttpCall = { headers: { 'content-type': formType } };

export const as = (authorization: string): HttpCall => ({ headers: { 'content-type': formType, authorization } });
