import type { FaultTarget } from './fault-target.js';

/** Something that goes wrong, and what makes it good. */
export interface Fault {
  readonly name: string;
  readonly describes: string;
  begin(targets: readonly FaultTarget[]): unknown;
  end(targets: readonly FaultTarget[]): unknown;
}

type Act = (target: FaultTarget) => unknown;

const toOne = (name: string, describes: string, begin: Act, end: Act): Fault => ({
  name,
  describes,
  begin: ([target]) => (target === undefined ? undefined : begin(target)),
  end: ([target]) => (target === undefined ? undefined : end(target)),
});

const beWell: Act = (target) => target.become('well');

export const faults: readonly Fault[] = [
  toOne(
    'killed',
    'SIGKILL, later a new process',
    (target) => target.signal('SIGKILL'),
    (target) => target.revive(),
  ),
  toOne('refusing', 'nobody listens, what is under way is answered', (target) => target.become('refusing'), beWell),
  toOne('500', 'every answer is 500', (target) => target.become('failing'), beWell),
  toOne('cut', 'every answer is reset in the midst of its body', (target) => target.become('cutting'), beWell),
  toOne(
    'stopped',
    'SIGSTOP: connections are taken, nothing is answered; later SIGCONT',
    (target) => target.signal('SIGSTOP'),
    (target) => target.signal('SIGCONT'),
  ),
  toOne('slow', 'an octet of the body every 20 ms', (target) => target.become('slow'), beWell),
  {
    name: 'all killed',
    describes: 'SIGKILL to all three, later new processes',
    begin: (targets) => targets.forEach((target) => target.signal('SIGKILL')),
    end: (targets) => Promise.all(targets.map((target) => target.revive())),
  },
];
