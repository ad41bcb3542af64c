import { ClientClosedError, ClientOfflineError, DisconnectsClientError, SocketClosedUnexpectedlyError } from 'redis';

/** What answers of Redis mean, by the word that they begin with. */
const answers: Readonly<Record<string, string>> = {
  WRONGPASS: 'it refuses the user or the password of session-store-url',
  NOAUTH: 'it wants a password, and session-store-url has none',
  NOPERM: 'its user may not do what sessions need: PING, run scripts, and read and write keys portcullis:*',
  OOM: 'its memory is full',
  READONLY: 'it is a replica, which takes no writes',
  MASTERDOWN: 'it is a replica without its master',
  LOADING: 'it is still loading its data',
  MISCONF: 'it cannot write its data to its disk',
  NOREPLICAS: 'it has too few replicas to take writes',
  BUSY: 'a script keeps it busy',
  MOVED: 'it is part of a cluster, which is not supported',
  CLUSTERDOWN: 'it is part of a cluster, which is not supported',
};

const socketFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of its host cannot be resolved now',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'no connection in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names more authorities',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names more authorities',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names more authorities',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted: NODE_EXTRA_CA_CERTS names more authorities',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

const answerWord = /^[A-Z]{2,20}(?= |$)/;

/** The word that an error answer of Redis begins with; null: it is none. */
export const answerCode = (error: unknown): string | null =>
  error instanceof Error ? (answerWord.exec(error.message)?.[0] ?? null) : null;

/** What may be over by itself: the server is not there yet, or not ready. */
const passing = new Set([
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

const reportedCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** What the client says of a connection that was closed in order, as a server does that is going down or coming up. */
const closings = [SocketClosedUnexpectedlyError, ClientClosedError, ClientOfflineError, DisconnectsClientError];

/** Whether what went wrong says nothing against the server and what we show it. */
export const isPassing = (error: unknown): boolean =>
  passing.has(answerCode(error) ?? reportedCode(error) ?? '') || closings.some((closing) => error instanceof closing);

/** Says in one clause what went wrong, without anything that was sent: an answer may repeat that. */
export const failureClause = (error: unknown): string => {
  const code = answerCode(error);
  if (code !== null) return answers[code] ?? `it answers ${code}`;
  const reported = reportedCode(error);
  if (reported !== null) return socketFailures[reported] ?? `connection failed (${reported})`;
  return 'connection lost';
};
