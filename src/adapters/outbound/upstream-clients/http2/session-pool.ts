import type {
  ConnectionFigures,
  TargetClientOptions,
  UpstreamFailure,
} from '../../../../application/ports/gateway/upstream-client.js';
import { IdleConnectionPool } from '../pool/idle-connection-pool.js';
import type { StreamUser } from './stream-user.js';
import { maxStreams, type SessionListener, type UpstreamSession } from './upstream-session.js';

/** Requests that may wait for a stream of one target, besides those with a session being opened. */
const maxWaiting = 1_000;

/** Sessions to one target, as few as possible, and a FIFO queue of requests for their streams. */
export class SessionPool implements SessionListener {
  readonly #settings: TargetClientOptions;
  readonly #create: (listener: SessionListener) => UpstreamSession;
  readonly #sessions = new Set<UpstreamSession>();
  /** Sessions that can open another stream. */
  readonly #roomy = new Set<UpstreamSession>();
  readonly #resting: IdleConnectionPool<UpstreamSession>;
  /** Requests that wait for each session being opened. */
  readonly #expecting = new Map<UpstreamSession, Set<StreamUser>>();
  #waiting = new Set<StreamUser>();
  /** Requests that have left a stream and will ask for another. */
  readonly #between = new Set<StreamUser>();
  /** Sessions that close after their open streams. */
  #leaving = 0;
  /** Expected stream limit of a new session. */
  #likelyStreams = maxStreams;
  /** Sessions whose peer currently allows no stream. */
  #shut = 0;
  #isClosed = false;
  /** The grace of `close` has passed. */
  #isCut = false;
  #whenUnused: (() => void) | null = null;

  constructor(settings: TargetClientOptions, create: (listener: SessionListener) => UpstreamSession) {
    this.#settings = settings;
    this.#create = create;
    this.#resting = new IdleConnectionPool<UpstreamSession>(settings, (session) => session.leave());
  }

  /** A new request would have to wait. */
  get isFull(): boolean {
    return this.#roomy.size === 0 && !this.#mayConnect && this.#expected() === null;
  }

  /** A session can be opened, and no open one has room. */
  get mustConnect(): boolean {
    return this.#roomy.size === 0 && !this.isFull;
  }

  figures(): ConnectionFigures {
    let active = 0;
    for (const session of this.#sessions) if (session.isOpen && session.streams > 0) active += 1;
    return {
      activeConnections: active,
      idleConnections: this.#resting.count,
      waitingRequests: this.#waiting.size,
    };
  }

  /**
   * Keeps the pool open for a request that was in flight and will ask for another stream. Until
   * then `forget` and `evictQueued` reach it.
   */
  reserve(user: StreamUser): void {
    if (!this.#isCut) this.#between.add(user);
  }

  /** Opens a stream for `user`, now or later. False if the queue is full. */
  request(user: StreamUser): boolean {
    const wasInFlight = this.#between.delete(user);
    if (this.#isClosed && !wasInFlight) return false;
    const session = this.#free(user.refusedBy);
    if (session !== null) {
      this.#lend(session, user);
      return true;
    }
    if (this.#expect(user)) return true;
    // Without another session, retry the one that refused.
    if (user.refusedBy !== null && this.#roomy.has(user.refusedBy)) {
      this.#lend(user.refusedBy, user);
      return true;
    }
    this.#settings.onExhausted();
    if (this.#waiting.size >= maxWaiting) return false;
    this.#waiting.add(user);
    user.wait();
    return true;
  }

  /** Removes a waiting user. */
  forget(user: StreamUser): void {
    this.#between.delete(user);
    this.#waiting.delete(user);
    for (const users of this.#expecting.values()) users.delete(user);
    this.#noticeUnused();
  }

  /** A user of the pool is abandoned: `close` waits for it no longer. */
  noteAbandoned(): void {
    this.#noticeUnused();
  }

  evictQueued(): void {
    for (const user of this.#awaiting()) user.evictQueued();
  }

  /** Active and waiting requests may finish within the grace. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const cut = setTimeout(() => this.#cutOff(), graceMs);
    do {
      await new Promise<void>((resolve) => {
        this.#whenUnused = resolve;
        this.#noticeUnused();
      });
      // The end of a stream can be a refusal, after which its request is reserved.
    } while (!this.#isUnused);
    clearTimeout(cut);
    this.#resting.takeAll();
    for (const session of [...this.#sessions]) session.destroy();
  }

  onReady(session: UpstreamSession): void {
    const users = [...(this.#expecting.get(session) ?? [])];
    this.#expecting.delete(session);
    this.#likelyStreams = Math.max(1, session.maxStreams);
    if (session.isShut) this.#shut += 1;
    this.#noteRoom(session);
    let served = 0;
    for (; served < users.length && session.hasRoom; served += 1) this.#lend(session, users[served] as StreamUser);
    // They precede requests without a session.
    if (served < users.length) this.#waitBefore(users.slice(served));
    this.#serveWaiting();
    this.#rest(session);
  }

  onRoom(session: UpstreamSession, wasShut: boolean): void {
    if (session.isShut !== wasShut) this.#shut += session.isShut ? 1 : -1;
    this.#noteRoom(session);
    if (session.hasRoom) this.#serveWaiting();
    this.#rest(session);
  }

  onLeaving(session: UpstreamSession): void {
    this.#leaving += 1;
    this.#noteRoom(session);
    this.#resting.remove(session);
    this.#serveWaiting();
  }

  onLost(session: UpstreamSession, failure: UpstreamFailure): void {
    if (!this.#sessions.delete(session)) return;
    this.#roomy.delete(session);
    this.#resting.remove(session);
    if (session.isLeaving) this.#leaving -= 1;
    if (session.isShut) this.#shut -= 1;
    const users = this.#expecting.get(session);
    this.#expecting.delete(session);
    for (const user of users ?? []) user.fail(failure);
    // Fail waiting requests together when no session is left.
    if (users !== undefined && this.#sessions.size === this.#leaving) {
      for (const user of [...this.#waiting]) {
        this.#waiting.delete(user);
        user.fail(failure);
      }
    }
    this.#serveWaiting();
    this.#noticeUnused();
  }

  /**
   * Closing sessions count separately: a restarting target still gets sessions, and repeated
   * GOAWAYs are bounded.
   */
  get #mayConnect(): boolean {
    const { maxConnections } = this.#settings;
    const staying = this.#sessions.size - this.#leaving;
    return staying < maxConnections && this.#leaving <= maxConnections && this.#shut === 0;
  }

  /**
   * A session with room: active before idle, then most recently used, so that the others can close.
   * @param avoided session that refused the request
   */
  #free(avoided: UpstreamSession | null = null): UpstreamSession | null {
    let resting: UpstreamSession | null = null;
    for (const session of this.#roomy) {
      if (session === avoided) continue;
      if (session.streams > 0) return session;
      if (resting === null || session.idleIndex > resting.idleIndex) resting = session;
    }
    return resting;
  }

  /** Queues `user` for a session being opened. False if there is no room and none can be opened. */
  #expect(user: StreamUser): boolean {
    const expected = this.#expected();
    if (expected === null && !this.#mayConnect) return false;
    // Its wait starts before the time to open a session.
    user.expect(expected?.beganMs ?? performance.now());
    this.#expecting.get(expected ?? this.#connect())?.add(user);
    return true;
  }

  /** A session being opened with room for another user. */
  #expected(): UpstreamSession | null {
    for (const [session, users] of this.#expecting) if (users.size < this.#likelyStreams) return session;
    return null;
  }

  #connect(): UpstreamSession {
    const session = this.#create(this);
    this.#sessions.add(session);
    this.#expecting.set(session, new Set());
    return session;
  }

  #lend(session: UpstreamSession, user: StreamUser): void {
    this.#resting.remove(session);
    user.use(session);
    this.#noteRoom(session);
    this.#rest(session);
  }

  #noteRoom(session: UpstreamSession): void {
    if (session.hasRoom && this.#sessions.has(session)) this.#roomy.add(session);
    else this.#roomy.delete(session);
  }

  #serveWaiting(): void {
    for (const user of this.#waiting) {
      const session = this.#free();
      if (session === null) break;
      this.#waiting.delete(user);
      this.#lend(session, user);
    }
    for (const user of this.#waiting) {
      if (!this.#expect(user)) return;
      this.#waiting.delete(user);
    }
  }

  #waitBefore(users: readonly StreamUser[]): void {
    this.#waiting = new Set([...users, ...this.#waiting]);
    for (const user of users) user.wait();
  }

  /** Keeps or closes an idle session. */
  #rest(session: UpstreamSession): void {
    if (session.streams > 0 || this.#expecting.has(session) || session.idleIndex >= 0) {
      this.#noticeUnused();
      return;
    }
    if (session.isOpen && !session.isLeaving && !this.#resting.areNone) this.#resting.add(session);
    else session.leave();
    this.#noticeUnused();
  }

  #awaiting(): StreamUser[] {
    const users = [...this.#waiting, ...this.#between];
    for (const expecting of this.#expecting.values()) users.push(...expecting);
    return users;
  }

  #cutOff(): void {
    this.#isCut = true;
    for (const user of this.#awaiting()) {
      this.forget(user);
      user.giveUp();
    }
    for (const session of [...this.#sessions]) session.destroy();
    this.#noticeUnused();
  }

  get #isUnused(): boolean {
    if (this.#waiting.size > 0 || this.#between.size > 0) return false;
    for (const users of this.#expecting.values()) for (const { isAbandoned } of users) if (!isAbandoned) return false;
    for (const session of this.#sessions) if (session.streams > 0) return false;
    return true;
  }

  #noticeUnused(): void {
    if (this.#whenUnused !== null && this.#isUnused) this.#whenUnused();
  }
}
