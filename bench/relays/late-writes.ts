import type { Socket } from 'node:net';

interface Waiting {
  readonly to: Socket;
  readonly text: string;
}

let waiting: Waiting[] = [];

const writeAll = (): void => {
  const due = waiting;
  waiting = [];
  for (const { to, text } of due) to.write(text, 'latin1');
};

/** Writes at the end of the turn of the event loop, as the gateway does. `text`: one character for each octet. */
export const writeLate = (to: Socket, text: string): void => {
  waiting.push({ to, text });
  if (waiting.length === 1) setImmediate(writeAll);
};
