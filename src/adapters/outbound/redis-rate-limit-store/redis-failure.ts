/** What answers of Redis mean, by the word that they begin with. */
const answers: Readonly<Record<string, string>> = {
  WRONGPASS: 'it refuses the user or the password of rate-limit-store-url',
  NOAUTH: 'it wants a password, and rate-limit-store-url has none',
  NOPERM: 'its user may not do what rate limits need: run scripts, and read and write keys portcullis:rate:*',
  WRONGTYPE: 'it holds something else under the keys of rate limits',
  OOM: 'its memory is full',
  READONLY: 'it is a replica, which takes no writes',
  LOADING: 'it is still loading its data',
  MISCONF: 'it cannot write its data to its disk',
  BUSY: 'a script keeps it busy',
  MOVED: 'it is part of a cluster, which is not supported',
  CROSSSLOT: 'it is part of a cluster, which is not supported',
  CLUSTERDOWN: 'it is part of a cluster, which is not supported',
};

const connectionFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of its host cannot be resolved now',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'no connection in time',
};

const answerWord = /^[A-Z]{2,20}(?= |$)/;

/** The word that an error answer of Redis begins with; null: it is none. */
export const answerCode = (error: unknown): string | null =>
  error instanceof Error ? (answerWord.exec(error.message)?.[0] ?? null) : null;

/** Says in one clause what went wrong, without anything that was sent: an answer may repeat that. */
export const failureClause = (error: unknown): string => {
  const code = answerCode(error);
  if (code !== null) return answers[code] ?? `it answers ${code}`;
  const reported = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (reported === null) return 'connection lost';
  return connectionFailures[reported] ?? `connection failed (${reported})`;
};
