import { Socket } from 'node:net';
import { plainOrigin } from '../../../src/adapters/inbound/http-engines/connections/client-connection.js';
import { Deadlines, ListenerTimers } from '../../../src/adapters/inbound/http-engines/connections/deadlines.js';
import { ReadAheadBudget } from '../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import { CoreSessions } from '../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import { CorkedWrites } from '../../../src/adapters/inbound/http-engines/core/corked-writes.js';
import {
  defaultEngineLimits,
  type EngineLimits,
  type RequestHandler,
} from '../../../src/application/ports/gateway/http-engine.js';
import { plainTimeouts } from './plain-configurations.js';
import { RecordingHandler } from './recording-handler.js';

/** A socket without a system below it: what is read of it comes in the pieces that it is fed. */
class FedSocket extends Socket {
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.written.push(Buffer.from(chunk as string, encoding));
    done();
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    for (const { chunk, encoding } of chunks) this.written.push(Buffer.from(chunk as string, encoding));
    done();
  }

  override _final(done: () => void): void {
    done();
  }

  /** As with the system's sockets, that it is closed is told behind the turn. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    setImmediate(() => setImmediate(() => super._destroy(error, done)));
  }
}

/** A connection of the core engine in memory. */
export interface FedConnection {
  readonly handler: RecordingHandler;
  readonly budget: ReadAheadBudget;
  /** The engine has ended its side. */
  readonly hasEnded: boolean;
  /** The engine reads no more for now. */
  readonly isPaused: boolean;
  /** All that the engine has written, one character for each octet. */
  readonly written: string;
  /**
   * The next octets of the client, as one piece of memory of their own. Resolves when they have been taken, if they
   * are.
   */
  feed(octets: Buffer): Promise<void>;
  /** The client sends no more, and reads on. */
  finish(): void;
  /** The client goes away. */
  end(): void;
}

/** A connection of the core engine whose octets come in exactly the pieces that it is fed. */
export const fedConnection = (
  handle: RequestHandler['handle'],
  changes: Partial<EngineLimits> = {},
  budget = new ReadAheadBudget(),
): FedConnection => {
  const handler = new RecordingHandler();
  handler.handle = handle;
  const limits = { ...defaultEngineLimits, ...changes };
  const sessions = new CoreSessions({
    key: 'main',
    handler,
    limits,
    patience: new ListenerTimers(limits, plainTimeouts),
    budget,
    deadlines: new Deadlines(),
    writes: new CorkedWrites(),
  });
  const socket = new FedSocket({ allowHalfOpen: true });
  sessions.speak(socket, plainOrigin);
  return {
    handler,
    budget,
    get hasEnded() {
      return socket.writableEnded || socket.destroyed;
    },
    get isPaused() {
      return socket.isPaused();
    },
    get written() {
      return Buffer.concat(socket.written).toString('latin1');
    },
    feed: async (octets) => {
      const own = Buffer.allocUnsafeSlow(octets.length);
      own.set(octets);
      // What comes behind the end of a connection goes nowhere.
      if (!socket.destroyed) socket.push(own);
      await new Promise(setImmediate);
    },
    finish: () => void socket.push(null),
    end: () => void socket.destroy(),
  };
};
