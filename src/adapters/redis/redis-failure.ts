import { ClientClosedError, ClientOfflineError, DisconnectsClientError, SocketClosedUnexpectedlyError } from 'redis';

/** Why a command has no answer, or why there is no connection. */
export interface RedisFailure {
  readonly kind: /** `close` was called. */
    | 'closed'
    /** There is no connection; a later attempt can succeed with the same server and the same configuration. */
    | 'unreachable'
    /** The server refuses us, or does not meet our requirements: somebody has to change something. */
    | 'unusable'
    /** There was a connection, and the next attempt has not been made yet. */
    | 'lost'
    /** Too many commands wait for their answers. */
    | 'overloaded'
    /** The server did not answer in time. */
    | 'late'
    /** The server answered with an error, or the connection broke before the answer came. */
    | 'failed';
  /** One clause about the server, as in `it gave no answer within 1 s`. It repeats nothing that was sent. */
  readonly reason: string;
}

/** What a connection is used for, as failures name it. */
export interface RedisPurpose {
  /** The configuration key that holds the URL. */
  readonly urlKey: string;
  /** What is stored, in the plural: `sessions`. */
  readonly content: string;
  /** What the user of the URL has to be allowed, as in `run scripts, and read and write keys portcullis:*`. */
  readonly permissions: string;
}

const inCluster = 'it is part of a cluster, which is not supported';

/** Error answers of Redis by their first word. */
const answerClauses = ({ urlKey, content, permissions }: RedisPurpose): Readonly<Record<string, string>> => ({
  WRONGPASS: `it refuses the user or the password of ${urlKey}`,
  NOAUTH: `it wants a password, and ${urlKey} has none`,
  NOPERM: `its user may not do what ${content} need: ${permissions}`,
  WRONGTYPE: `it holds something else under the keys of ${content}`,
  OOM: 'its memory is full',
  READONLY: 'it is a replica, which takes no writes',
  MASTERDOWN: 'it is a replica without its master',
  LOADING: 'it is still loading its data',
  MISCONF: 'it cannot write its data to its disk',
  NOREPLICAS: 'it has too few replicas to take writes',
  BUSY: 'a script keeps it busy',
  MOVED: inCluster,
  CROSSSLOT: inCluster,
  CLUSTERDOWN: inCluster,
});

const untrusted = 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names more authorities';

const socketClauses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of its host cannot be resolved now',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'no connection in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

/** The server is not there yet, or not ready. */
const transientCodes = new Set([
  'LOADING',
  'BUSY',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** Errors of the client for a connection that was closed in order, as a server does that starts or stops. */
const closings = [SocketClosedUnexpectedlyError, ClientClosedError, ClientOfflineError, DisconnectsClientError];

const answerWord = /^[A-Z]{2,20}(?= |$)/;

/** The first word of an error answer of Redis, as in `NOSCRIPT`; null: the error is no answer. */
export const answerCode = (error: unknown): string | null =>
  error instanceof Error ? (answerWord.exec(error.message)?.[0] ?? null) : null;

const systemCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Whether a later attempt can succeed with the same server and the same configuration. */
export const isTransient = (error: unknown): boolean =>
  transientCodes.has(answerCode(error) ?? systemCode(error) ?? '') ||
  closings.some((closing) => error instanceof closing);

/** One clause about an error. It repeats nothing that was sent, although an answer of Redis may. */
export const failureClause = (error: unknown, purpose: RedisPurpose): string => {
  const answer = answerCode(error);
  if (answer !== null) return answerClauses(purpose)[answer] ?? `it answers ${answer}`;
  const code = systemCode(error);
  if (code !== null) return socketClauses[code] ?? `connection failed (${code})`;
  return 'connection lost';
};
