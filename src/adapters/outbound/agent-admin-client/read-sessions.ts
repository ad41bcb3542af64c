import type {
  AdministeredPage,
  AdministeredSession,
} from '../../../application/ports/shared/session-administration.js';

/** The members of a session: each must be there, and no other. */
const members = ['agent', 'created', 'expires', 'id', 'last_seen', 'method', 'provider', 'user'];

const sessionId = /^[0-9a-f]{16,64}$/;
const methodName = /^[a-z][a-z0-9_-]{0,31}$/;
/** The agent's own name, then the position in its store. */
const nextPage = /^[^:]{1,512}:(-?\d{1,16}:[0-9a-f]{1,128})$/;
/** Characters of a user id or provider. */
const longestText = 4_096;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The time as the agent writes it; null: it is none. */
const readTime = (value: unknown): number | null => {
  if (typeof value !== 'string' || value.length > 32) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== value ? null : ms;
};

const readText = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= longestText ? value : null;

const readSession = (value: unknown): AdministeredSession | null => {
  if (!isRecord(value) || Object.keys(value).toSorted().join() !== members.join()) return null;
  const { id, method } = value;
  if (typeof id !== 'string' || !sessionId.test(id)) return null;
  if (typeof method !== 'string' || !methodName.test(method)) return null;
  const [userId, provider, agent] = [readText(value['user']), readText(value['provider']), readText(value['agent'])];
  const [createdMs, expiresMs] = [readTime(value['created']), readTime(value['expires'])];
  const lastSeenMs = readTime(value['last_seen']);
  if (userId === null || provider === null || agent === null) return null;
  if (createdMs === null || expiresMs === null || lastSeenMs === null) return null;
  return { id, userId, method, provider, createdMs, expiresMs, lastSeenMs };
};

/**
 * Reads the answer of an agent to GET /admin/sessions. Null: it has another shape, an unknown member, or more than
 * `limit` sessions.
 */
export const readSessions = (body: unknown, limit: number): AdministeredPage | null => {
  if (!isRecord(body)) return null;
  const { sessions: listed, next = null, ...rest } = body;
  if (Object.keys(rest).length > 0 || !Array.isArray(listed) || listed.length > limit) return null;
  const sessions: AdministeredSession[] = [];
  for (const value of listed) {
    const session = readSession(value);
    if (session === null) return null;
    sessions.push(session);
  }
  if (next === null) return { sessions, next };
  const position = typeof next === 'string' ? nextPage.exec(next)?.[1] : undefined;
  return position === undefined ? null : { sessions, next: position };
};
