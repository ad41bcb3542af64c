import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MemoryStoreLimits } from '../../src/adapters/outbound/memory-session-store/memory-limits.js';
import type { SessionStoreOpener, SessionStores } from '../../src/application/ports/agent/session-stores.js';
import type { Logger } from '../../src/application/ports/shared/logger.js';
import type { Session } from '../../src/domain/agent/sessions/session.js';
import type { Secret } from '../../src/domain/shared/secret.js';
import { built } from '../built.js';

const hour = 3_600_000;
/** Inserts that are under way at once while a store is filled. */
const atOnce: Readonly<Record<StoreKind, number>> = { memory: 2_000, sqlite: 2_000, redis: 50 };

export type StoreKind = 'memory' | 'sqlite' | 'redis';

/** The id that is in a cookie; the same for the same number. */
export const sessionId = (index: number): string => createHash('sha256').update(`session ${index}`).digest('base64url');

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

export const provider = 'https://id.example.com portal';
export const userOf = (index: number): string => `user-${index}@example.com`;

/** A session as a sign-on at an OpenID provider makes it, begun `index` milliseconds after the start. */
export const sessionOf = (index: number, startMs: number, expiresMs = startMs + 8 * hour + index): Session => ({
  idHash: sha256Hex(sessionId(index)),
  userId: userOf(index),
  method: 'oidc',
  provider,
  logout: { subject: `subject-${index}`, session: `sid-${index}` },
  details: {
    claims: JSON.stringify({
      ...{ iss: 'https://id.example.com', aud: 'portal', sub: `subject-${index}`, sid: `sid-${index}` },
      ...{ email: userOf(index), email_verified: true, groups: ['dev', 'ops', 'everybody'] },
    }),
  },
  attributes: [],
  createdMs: startMs + index,
  expiresMs,
  lastSeenMs: startMs + index,
});

/** A store of its own with sessions. */
export interface FilledStore {
  readonly stores: SessionStores;
  readonly count: number;
  /** When its first session began, in milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** Octets of memory or of the file for each session. */
  readonly octetsPerSession: number;
  remove(): Promise<void>;
}

/** A store without sessions, and how much it takes. */
interface EmptyStore {
  readonly stores: SessionStores;
  octets(): number;
  remove(): Promise<void>;
}

const opened = async (
  opener: SessionStoreOpener,
  options: Parameters<SessionStoreOpener['open']>[0],
): Promise<SessionStores> => {
  const stores = await opener.open(options, 'https://portal.example.com');
  if (!stores.ok) throw new Error(stores.error);
  return stores.value;
};

/** Octets of the heap after a collection. */
const heapOctets = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

const memoryStore = async (count: number): Promise<EmptyStore> => {
  const { MemoryStoreOpener } = await built<{
    readonly MemoryStoreOpener: new (limits: MemoryStoreLimits) => SessionStoreOpener;
  }>('adapters/outbound/memory-session-store/memory-store-opener.js');
  const { defaultMemoryLimits } = await built<{ readonly defaultMemoryLimits: MemoryStoreLimits }>(
    'adapters/outbound/memory-session-store/memory-limits.js',
  );
  // The default limit is 100 000 sessions.
  const limits = {
    ...defaultMemoryLimits,
    sessions: 2 * count + 1_000_000,
    sessionCharacters: Number.MAX_SAFE_INTEGER,
  };
  const stores = await opened(new MemoryStoreOpener(limits), { kind: 'memory' });
  return { stores, octets: heapOctets, remove: () => stores.close() };
};

const sqliteStore = async (): Promise<EmptyStore> => {
  const { SqliteStoreOpener } = await built<{ readonly SqliteStoreOpener: new () => SessionStoreOpener }>(
    'adapters/outbound/sqlite-session-store/sqlite-store-opener.js',
  );
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-sessions-'));
  const path = join(folder, 'sessions.db');
  const stores = await opened(new SqliteStoreOpener(), { kind: 'sqlite', path });
  const remove = async () => {
    await stores.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { stores, octets: () => statSync(path).size, remove };
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const silent = () => undefined;
const quietLogger: Logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

const redisCli = (port: number, ...command: readonly string[]): string =>
  spawnSync('redis-cli', ['-p', String(port), ...command], { encoding: 'utf8' }).stdout;

/** Redis in memory alone: what it costs to write to a disk is not ours. */
const redisStore = async (): Promise<EmptyStore> => {
  const { RedisStoreOpener } = await built<{ readonly RedisStoreOpener: new (logger: Logger) => SessionStoreOpener }>(
    'adapters/outbound/redis-session-store/redis-store-opener.js',
  );
  const { Secret: BuiltSecret } = await built<{ readonly Secret: new (text: string) => Secret }>(
    'domain/shared/secret.js',
  );
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  for (let tries = 0; !redisCli(port, 'ping').startsWith('PONG'); tries += 1) {
    if (tries > 100) throw new Error('redis-server does not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stores = await opened(new RedisStoreOpener(quietLogger), {
    kind: 'redis',
    url: new BuiltSecret(`redis://127.0.0.1:${port}`),
  });
  const octets = () => Number(/used_memory:(\d+)/.exec(redisCli(port, 'info', 'memory'))?.[1] ?? Number.NaN);
  const remove = async () => {
    await stores.close();
    server.kill('SIGKILL');
  };
  return { stores, octets, remove };
};

const emptyStore = (kind: StoreKind, count: number): Promise<EmptyStore> => {
  if (kind === 'memory') return memoryStore(count);
  return kind === 'sqlite' ? sqliteStore() : redisStore();
};

/** Stores so many sessions. */
const fill = async (kind: StoreKind, { sessions }: SessionStores, count: number, startMs: number): Promise<void> => {
  for (let from = 0; from < count; from += atOnce[kind]) {
    if (from % 100_000 === 0 && count > 100_000) console.error(`filling ${kind}: ${from} of ${count} sessions`);
    const batch = Array.from({ length: Math.min(atOnce[kind], count - from) }, (_, index) =>
      sessions.insert(sessionOf(from + index, startMs)),
    );
    for (const inserted of await Promise.all(batch)) if (!inserted.ok) throw new Error(inserted.error.reason);
  }
};

/** A new store with so many sessions. */
export const filledStore = async (kind: StoreKind, count: number): Promise<FilledStore> => {
  const { stores, octets, remove } = await emptyStore(kind, count);
  const startMs = Date.now();
  const before = octets();
  try {
    await fill(kind, stores, count, startMs);
  } catch (error) {
    await remove();
    throw error;
  }
  return { stores, count, startMs, octetsPerSession: Math.round((octets() - before) / count), remove };
};
