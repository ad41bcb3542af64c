import { type CompactJws, parseCompactJws } from '../../../domain/agent/tokens/compact-jws.js';
import type { TokenRejection } from '../../../domain/agent/tokens/token-rejection.js';
import { ok, type Result } from '../../../domain/shared/result.js';

/** A token that has been taken apart, once for all who may be in charge of it. Nothing of it is true yet. */
export interface ReadToken extends CompactJws {
  /** As it came: what is signed. */
  readonly token: string;
}

/** Fails for what is no JWS in compact form, whoever were in charge of it. */
export const readToken = (token: string): Result<ReadToken, TokenRejection> => {
  const parsed = parseCompactJws(token);
  return parsed.ok ? ok({ token, ...parsed.value }) : parsed;
};

/** Takes tokens apart for several who are asked one after the other: the last one is kept, for the next who asks. */
export class TokenReader {
  #last: { readonly token: string; readonly read: Result<ReadToken, TokenRejection> } | null = null;

  read(token: string): Result<ReadToken, TokenRejection> {
    if (this.#last?.token !== token) this.#last = { token, read: readToken(token) };
    return this.#last.read;
  }
}
