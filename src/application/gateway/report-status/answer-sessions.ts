import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { AdministeredSession, SessionAdministration } from '../../ports/shared/session-administration.js';
import { type AdminAnswer, adminProblem, jsonAnswer, noContent } from './admin-answer.js';

const sessionsPath = '/admin/sessions';
const defaultLimit = 100;
const highestLimit = 1_000;
/** Digits of an id in a list. Sixteen tell all stored sessions apart. */
const shownDigits = 16;

const idPrefix = /^[0-9a-f]{8,64}$/;
/** The position in a list of an agent; empty: its beginning. */
const pagePosition = /^(?:-?\d{1,16}:[0-9a-f]{1,128})?$/;

/** Whether the path is that of the sessions, or of one session. */
export const isSessionsPath = (path: string): boolean => path === sessionsPath || path.startsWith(`${sessionsPath}/`);

/** The sessions of an agent. */
interface AgentSessions {
  readonly agent: string;
  readonly sessions: SessionAdministration;
}

interface SessionQuery {
  readonly userId: string | null;
  readonly limit: number;
  /** Null: the first page. */
  readonly page: { readonly agent: string; readonly after: string } | null;
}

interface SessionsRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly correlationId: string;
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** The error is a sentence. */
const readQuery = (text: string): Result<SessionQuery, string> => {
  const parameters = new URLSearchParams(text);
  for (const name of parameters.keys()) {
    if (!['user', 'limit', 'after'].includes(name)) return err('The query may have user, limit and after only.');
    if (parameters.getAll(name).length > 1) return err(`The query has ${name} more than once.`);
  }
  const [user, limitText, after] = [parameters.get('user'), parameters.get('limit'), parameters.get('after')];
  const limit = limitText === null ? defaultLimit : /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > highestLimit) return err(`limit must be a number from 1 to ${highestLimit}.`);
  if (user === '') return err('user is empty.');
  if (after === null) return ok({ userId: user, limit, page: null });
  const colon = after.indexOf(':');
  const agent = colon < 0 ? null : decoded(after.slice(0, colon));
  const position = after.slice(colon + 1);
  if (agent === null || !pagePosition.test(position)) return err('after must be the next of the previous page.');
  return ok({ userId: user, limit, page: { agent, after: position } });
};

const shownSession = (agent: string, session: AdministeredSession) => ({
  id: session.idHash.slice(0, shownDigits),
  user: session.userId,
  method: session.method,
  provider: session.provider,
  created: new Date(session.createdMs).toISOString(),
  expires: new Date(session.expiresMs).toISOString(),
  last_seen: new Date(session.lastSeenMs).toISOString(),
  agent,
});

/** Lists and revokes the sessions of embedded agents. The caller checks the admin token first. */
export class AnswerSessions {
  readonly #agents: () => readonly Pick<AgentClient, 'name' | 'sessions'>[];

  constructor(agents: () => readonly Pick<AgentClient, 'name' | 'sessions'>[]) {
    this.#agents = agents;
  }

  async answer({ method, path, query, correlationId }: SessionsRequest): Promise<AdminAnswer> {
    if (path === sessionsPath) {
      if (method !== 'GET' && method !== 'HEAD') {
        const detail = 'This endpoint accepts only GET and HEAD.';
        return adminProblem('method_not_allowed', detail, correlationId, ['Allow', 'GET, HEAD']);
      }
      const read = readQuery(query);
      if (!read.ok) return adminProblem('malformed_request', read.error, correlationId);
      return this.#list(read.value, correlationId);
    }
    if (method !== 'DELETE') {
      const detail = 'This endpoint accepts only DELETE.';
      return adminProblem('method_not_allowed', detail, correlationId, ['Allow', 'DELETE']);
    }
    return this.#revoke(path.slice(sessionsPath.length + 1).toLowerCase(), correlationId);
  }

  async #list({ userId, limit, page }: SessionQuery, correlationId: string): Promise<AdminAnswer> {
    const stores = this.#stores();
    const begin = page === null ? 0 : stores.findIndex(({ agent }) => agent === page.agent);
    if (begin < 0) {
      return adminProblem('malformed_request', 'after names an agent that has no list of its own.', correlationId);
    }
    const found: ReturnType<typeof shownSession>[] = [];
    for (const [index, { agent, sessions }] of stores.entries()) {
      if (index < begin) continue;
      const start = encodeURIComponent(agent);
      if (found.length >= limit) return jsonAnswer(200, { sessions: found, next: `${start}:` });
      const after = index === begin && page !== null && page.after !== '' ? page.after : null;
      const listed = await sessions.list({ userId, limit: limit - found.length, after });
      if (!listed.ok) return this.#unavailable(agent, listed.error, correlationId);
      found.push(...listed.value.sessions.map((session) => shownSession(agent, session)));
      const { next } = listed.value;
      if (next !== null) return jsonAnswer(200, { sessions: found, next: `${start}:${next}` });
    }
    return jsonAnswer(200, { sessions: found });
  }

  async #revoke(prefix: string, correlationId: string): Promise<AdminAnswer> {
    const none = (detail: string) => adminProblem('no_such_session', detail, correlationId);
    if (!idPrefix.test(prefix)) return none('An id has 8 to 64 hexadecimal digits.');
    const found: (AgentSessions & { readonly session: AdministeredSession })[] = [];
    let failed: { readonly agent: string; readonly reason: string } | null = null;
    for (const { agent, sessions } of this.#stores()) {
      const matches = await sessions.find(prefix);
      if (matches.ok) found.push(...matches.value.map((session) => ({ agent, sessions, session })));
      else failed = { agent, reason: matches.error };
    }
    const [match, another] = found;
    if (another !== undefined) return none('Several sessions begin with this id: send more of it.');
    if (match === undefined) {
      return failed === null
        ? none('There is no session with this id.')
        : this.#unavailable(failed.agent, failed.reason, correlationId);
    }
    const { agent, sessions, session } = match;
    const revoked = await sessions.revoke(session.idHash);
    if (!revoked.ok) return this.#unavailable(agent, revoked.error, correlationId);
    if (!revoked.value) return none('There is no session with this id.');
    return { ...noContent, audited: { subject: session.userId, auth_method: session.method, agent } };
  }

  /** Of agents that share a store, the first one. In the order of their names, so that pages continue after a reload. */
  #stores(): readonly AgentSessions[] {
    const stores = new Map<object, AgentSessions>();
    const agents = this.#agents().toSorted((one, other) => (one.name < other.name ? -1 : 1));
    for (const client of agents) {
      const sessions = client.sessions?.() ?? null;
      if (sessions !== null && !stores.has(sessions.store))
        stores.set(sessions.store, { agent: client.name, sessions });
    }
    return [...stores.values()];
  }

  #unavailable(agent: string, reason: string, correlationId: string): AdminAnswer {
    return adminProblem('agent_unavailable', `Agent "${agent}": ${reason}.`, correlationId, ['Retry-After', '1']);
  }
}
