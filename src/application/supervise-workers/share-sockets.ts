import { err, ok } from '../../domain/shared/result.js';
import type { SharedSockets } from '../ports/shared-sockets.js';
import { plainError } from './plain-failure.js';
import type { AttendedWorker, SupervisedService } from './supervised-service.js';
import { listeningSocket } from './worker-topics.js';

/** Gives workers the sockets that they accept on. */
export class ShareSockets implements SupervisedService {
  readonly #sockets: SharedSockets;

  constructor(sockets: SharedSockets) {
    this.#sockets = sockets;
  }

  attend({ correspondence }: AttendedWorker): void {
    correspondence.answerWithAttachment(listeningSocket, async ({ key, address, name }) => {
      try {
        const socket = await this.#sockets.open(key, address, name);
        return { answer: ok(socket.address), attachment: socket.listenable };
      } catch (error) {
        return { answer: err(plainError(error)), attachment: null };
      }
    });
  }

  adopt(): void {}

  left(): void {}
}
