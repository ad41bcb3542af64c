import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Logger } from '../../ports/shared/logger.js';
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

/** An agent whose sessions may be administered. */
export interface AdministeredAgent {
  readonly name: string;
  /** Null or absent: it has no sessions, or they are elsewhere. */
  sessions?(): SessionAdministration | null;
}

/** The sessions of an agent. */
interface AgentSessions {
  readonly agent: string;
  readonly sessions: SessionAdministration;
}

type SessionQuery =
  | { readonly kind: 'id'; readonly prefix: string }
  | {
      readonly kind: 'page';
      readonly userId: string | null;
      readonly limit: number;
      /** Null: the first page. */
      readonly page: { readonly agent: string; readonly after: string } | null;
    };

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
    if (!['id', 'user', 'limit', 'after'].includes(name)) {
      return err('The query may have id, user, limit and after only.');
    }
    if (parameters.getAll(name).length > 1) return err(`The query has ${name} more than once.`);
  }
  const id = parameters.get('id');
  if (id !== null) {
    if (parameters.size > 1) return err('id excludes other parameters.');
    const prefix = id.toLowerCase();
    return idPrefix.test(prefix) ? ok({ kind: 'id', prefix }) : err('id must have 8 to 64 hexadecimal digits.');
  }
  const [user, limitText, after] = [parameters.get('user'), parameters.get('limit'), parameters.get('after')];
  const limit = limitText === null ? defaultLimit : /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > highestLimit) return err(`limit must be a number from 1 to ${highestLimit}.`);
  if (user === '') return err('user is empty.');
  if (after === null) return ok({ kind: 'page', userId: user, limit, page: null });
  const colon = after.indexOf(':');
  const agent = colon < 0 ? null : decoded(after.slice(0, colon));
  const position = after.slice(colon + 1);
  if (agent === null || !pagePosition.test(position)) return err('after must be the next of the previous page.');
  return ok({ kind: 'page', userId: user, limit, page: { agent, after: position } });
};

const shownSession = (agent: string, session: AdministeredSession) => ({
  id: session.id.slice(0, shownDigits),
  user: session.userId,
  method: session.method,
  provider: session.provider,
  created: new Date(session.createdMs).toISOString(),
  expires: new Date(session.expiresMs).toISOString(),
  last_seen: new Date(session.lastSeenMs).toISOString(),
  agent,
});

/** The sessions of an answer, and the agents that could not be asked. A session is in it once. */
class SessionsFound {
  readonly #sessions: ReturnType<typeof shownSession>[] = [];
  readonly #ids = new Set<string>();
  readonly #unavailable: { readonly agent: string; readonly reason: string }[] = [];
  #hasAsked = false;

  get size(): number {
    return this.#sessions.length;
  }

  add(agent: string, sessions: readonly AdministeredSession[]): void {
    this.#hasAsked = true;
    const shown = sessions.map((session) => shownSession(agent, session));
    // Agents that share a store have the same sessions: the first agent counts.
    const added = shown.filter(({ id }) => !this.#ids.has(id));
    this.#sessions.push(...added);
    for (const { id } of added) this.#ids.add(id);
  }

  failed(agent: string, reason: string): void {
    this.#unavailable.push({ agent, reason });
  }

  /** 503 if there were agents and none answered. `next`: where the next page begins; null on the last page. */
  answer(next: string | null, correlationId: string): AdminAnswer {
    const [first] = this.#unavailable;
    if (first !== undefined && !this.#hasAsked) return unavailable(first.agent, first.reason, correlationId);
    return jsonAnswer(200, {
      sessions: this.#sessions,
      ...(next !== null && { next }),
      ...(first !== undefined && { unavailable: this.#unavailable.map(({ agent }) => agent) }),
    });
  }
}

const unavailable = (agent: string, reason: string, correlationId: string): AdminAnswer =>
  adminProblem('agent_unavailable', `Agent "${agent}": ${reason}.`, correlationId, ['Retry-After', '1']);

/** Whether two ids, or their starts, name the same session. */
const sameSession = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

/** Lists and revokes the sessions of agents. The caller checks the admin token first. */
export class AnswerSessions {
  readonly #agents: () => readonly AdministeredAgent[];
  readonly #logger: Pick<Logger, 'warn'>;

  constructor(agents: () => readonly AdministeredAgent[], logger: Pick<Logger, 'warn'>) {
    this.#agents = agents;
    this.#logger = logger;
  }

  async answer({ method, path, query, correlationId }: SessionsRequest): Promise<AdminAnswer> {
    if (path === sessionsPath) {
      if (method !== 'GET' && method !== 'HEAD') {
        const detail = 'This endpoint accepts only GET and HEAD.';
        return adminProblem('method_not_allowed', detail, correlationId, ['Allow', 'GET, HEAD']);
      }
      const read = readQuery(query);
      if (!read.ok) return adminProblem('malformed_request', read.error, correlationId);
      return read.value.kind === 'id'
        ? this.#find(read.value.prefix, correlationId)
        : this.#list(read.value, correlationId);
    }
    if (method !== 'DELETE') {
      const detail = 'This endpoint accepts only DELETE.';
      return adminProblem('method_not_allowed', detail, correlationId, ['Allow', 'DELETE']);
    }
    return this.#revoke(path.slice(sessionsPath.length + 1).toLowerCase(), correlationId);
  }

  async #find(prefix: string, correlationId: string): Promise<AdminAnswer> {
    const found = new SessionsFound();
    for (const { agent, matches } of await this.#matches(prefix)) {
      if (matches.ok) found.add(agent, matches.value);
      else found.failed(agent, matches.error);
    }
    return found.answer(null, correlationId);
  }

  async #list(
    { userId, limit, page }: Extract<SessionQuery, { kind: 'page' }>,
    correlationId: string,
  ): Promise<AdminAnswer> {
    const stores = this.#stores();
    // Without a name, the first agent: its own admin endpoints have a single one.
    const begin = page === null || page.agent === '' ? 0 : stores.findIndex(({ agent }) => agent === page.agent);
    if (begin < 0) {
      return adminProblem('malformed_request', 'after names an agent that has no list of its own.', correlationId);
    }
    const found = new SessionsFound();
    for (const [index, { agent, sessions }] of stores.entries()) {
      if (index < begin) continue;
      const start = encodeURIComponent(agent);
      if (found.size >= limit) return found.answer(`${start}:`, correlationId);
      const after = index === begin && page !== null && page.after !== '' ? page.after : null;
      const listed = await sessions.list({ userId, limit: limit - found.size, after });
      if (!listed.ok) {
        this.#logUnavailable(agent, listed.error);
        found.failed(agent, listed.error);
        continue;
      }
      found.add(agent, listed.value.sessions);
      const { next } = listed.value;
      if (next !== null) return found.answer(`${start}:${next}`, correlationId);
    }
    return found.answer(null, correlationId);
  }

  async #revoke(prefix: string, correlationId: string): Promise<AdminAnswer> {
    const none = (detail: string) => adminProblem('no_such_session', detail, correlationId);
    if (!idPrefix.test(prefix)) return none('An id has 8 to 64 hexadecimal digits.');
    const answers = await this.#matches(prefix);
    const found = answers.flatMap(({ agent, sessions, matches }) =>
      matches.ok ? matches.value.map((session) => ({ agent, sessions, session })) : [],
    );
    const [first] = found;
    if (first === undefined) {
      for (const { agent, matches } of answers) {
        if (!matches.ok) return unavailable(agent, matches.error, correlationId);
      }
      return none('There is no session with this id.');
    }
    const isOne = answers.every(({ matches }) => !matches.ok || matches.value.length < 2);
    if (!isOne || found.some(({ session }) => !sameSession(session.id, first.session.id))) {
      return none('Several sessions begin with this id: send more of it.');
    }
    return this.#revokeAt(found, correlationId);
  }

  /** Revokes at every agent that has the session. Agents that share its store then forget it at once. */
  async #revokeAt(
    found: readonly (AgentSessions & { readonly session: AdministeredSession })[],
    correlationId: string,
  ): Promise<AdminAnswer> {
    const outcomes = await Promise.all(
      found.map(async (match) => ({ ...match, revoked: await match.sessions.revoke(match.session.id, correlationId) })),
    );
    const done = outcomes.find(({ revoked }) => revoked.ok && revoked.value);
    if (done !== undefined) {
      const { agent, session } = done;
      const audited = { subject: session.userId, auth_method: session.method, agent };
      return { ...noContent, audited: { ...audited, session: session.id.slice(0, shownDigits) } };
    }
    for (const { agent, revoked } of outcomes) {
      if (!revoked.ok) return unavailable(agent, revoked.error, correlationId);
    }
    return adminProblem('no_such_session', 'There is no session with this id.', correlationId);
  }

  /** The sessions of each store whose ids have this prefix. Asks all stores at once. */
  #matches(prefix: string) {
    return Promise.all(
      this.#stores().map(async ({ agent, sessions }) => {
        const matches = await sessions.find(prefix);
        if (!matches.ok) this.#logUnavailable(agent, matches.error);
        return { agent, sessions, matches };
      }),
    );
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

  #logUnavailable(agent: string, reason: string): void {
    this.#logger.warn('the sessions of an agent are unavailable', { agent, reason });
  }
}
