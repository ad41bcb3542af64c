import { MemoryStoreOpener } from '../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { RedisStoreOpener } from '../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import { SqliteStoreOpener } from '../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import { RemoteStoreOpener } from '../../../src/application/agent/share-stores/remote-session-stores.js';
import { SharedSessionStores } from '../../../src/application/agent/share-stores/share-stores.js';
import type { SessionStoreOpener, SessionStores } from '../../../src/application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../src/domain/agent/configuration/sessions-options.js';
import { supervisedWorker } from '../gateway/supervised-workers.js';
import { CleanUp } from '../shared/clean-up.js';
import { describeWithPeers, type Peer } from '../shared/peers.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { startRedis } from '../shared/redis-server.js';
import { temporaryFolder } from '../shared/temporary-folder.js';

/** Where one test keeps its sessions: nobody else's are there. */
export interface StorePlace {
  /**
   * Opens the stores as another process would that was given the same place. They are closed with the place at the
   * latest.
   */
  open(namespace?: string): Promise<SessionStores>;
  remove(): Promise<void>;
}

/** A technology that sessions can be kept in. */
export interface StoreTechnology {
  readonly name: string;
  /** Whether everybody who opens one place sees the same. */
  readonly isShared: boolean;
  /** Whether what is in a place is still there after everybody has closed it. */
  readonly isLasting: boolean;
  /** Programs that it needs. */
  readonly peers: readonly Peer[];
  /** How many requests each of its places keeps, at most: few, so that a test can fill it. */
  readonly requestLimit: number;
  /** The same of kept forms. */
  readonly formLimit: number;
  place(): Promise<StorePlace>;
}

const requestLimit = 20;
const formLimit = 12;
const defaultNamespace = 'https://gateway.example/saml/metadata';

/** A place that an opener finds by `options`; `remove` comes after all of its stores were closed. */
export const placeOf = (
  opener: SessionStoreOpener,
  options: SessionStoreOptions,
  remove: () => unknown,
): StorePlace => {
  const cleanUp = new CleanUp();
  cleanUp.add(remove);
  return {
    async open(namespace = defaultNamespace) {
      const opened = await opener.open(options, namespace);
      if (!opened.ok) throw new Error(opened.error);
      cleanUp.add(() => opened.value.close());
      return opened.value;
    },
    remove: () => cleanUp.run(),
  };
};

const memory: StoreTechnology = {
  name: 'memory',
  isShared: false,
  isLasting: false,
  peers: [],
  requestLimit,
  formLimit,
  place: async () =>
    placeOf(new MemoryStoreOpener({ requests: requestLimit, forms: formLimit }), { kind: 'memory' }, () => undefined),
};

/** Each opening is that of a worker of its own. */
const supervised: StoreTechnology = {
  name: "a supervisor's memory",
  isShared: true,
  isLasting: false,
  peers: [],
  requestLimit,
  formLimit,
  async place() {
    const scheduler = new NodeScheduler();
    const opener = new MemoryStoreOpener({ requests: requestLimit, forms: formLimit });
    const shared = new SharedSessionStores({ opener, scheduler });
    const workerOpener: SessionStoreOpener = {
      open: (options, namespace) => {
        const { supervisor, worker } = supervisedWorker(scheduler);
        shared.serve(supervisor);
        return new RemoteStoreOpener(worker, opener).open(options, namespace);
      },
    };
    return placeOf(workerOpener, { kind: 'memory' }, () => undefined);
  },
};

const sqlite: StoreTechnology = {
  name: 'sqlite',
  isShared: true,
  isLasting: true,
  peers: [],
  requestLimit,
  formLimit,
  async place() {
    const folder = temporaryFolder();
    const options = { kind: 'sqlite', path: folder.file('sessions.db') } as const;
    return placeOf(new SqliteStoreOpener({ requests: requestLimit, forms: formLimit }), options, folder.remove);
  },
};

const redis: StoreTechnology = {
  name: 'redis',
  isShared: true,
  isLasting: true,
  peers: ['redis-server'],
  requestLimit,
  formLimit,
  async place() {
    const server = await startRedis();
    const opener = new RedisStoreOpener(new RecordingLogger(), { requests: requestLimit, forms: formLimit });
    return placeOf(opener, { kind: 'redis', url: server.url() }, server.remove);
  },
};

export const storeTechnologies: readonly StoreTechnology[] = [sqlite, memory, supervised, redis];

/** The same tests for every technology. */
export const describeStores = (what: string, tests: (technology: StoreTechnology) => void): void => {
  for (const technology of storeTechnologies) {
    describeWithPeers(technology.peers, `${what}, in ${technology.name}`, () => tests(technology));
  }
};

/** Those alone that several processes can share. */
export const describeSharedStores = (what: string, tests: (technology: StoreTechnology) => void): void => {
  for (const technology of storeTechnologies.filter(({ isShared }) => isShared)) {
    describeWithPeers(technology.peers, `${what}, in ${technology.name}`, () => tests(technology));
  }
};

/** Those alone that keep what nobody has open. */
export const describeLastingStores = (what: string, tests: (technology: StoreTechnology) => void): void => {
  for (const technology of storeTechnologies.filter(({ isLasting }) => isLasting)) {
    describeWithPeers(technology.peers, `${what}, in ${technology.name}`, () => tests(technology));
  }
};
