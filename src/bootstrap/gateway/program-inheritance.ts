import type { InheritedSocket } from '../../adapters/outbound/node-listening-sockets/inherited-sockets.js';
import { takeSystemdSockets } from '../../adapters/outbound/node-listening-sockets/systemd-sockets.js';
import { takeHandover } from '../../adapters/outbound/node-successor/handover.js';
import {
  type ServiceEnvironment,
  takeServiceEnvironment,
} from '../../adapters/outbound/systemd-notify/service-environment.js';
import type { DrainedChanges } from '../../application/gateway/upgrade/drained-changes.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';

/** What a gateway's process was started with, beside its words. */
export interface ProgramInheritance {
  readonly sockets: readonly InheritedSocket[];
  /** The process that this one replaces; null where it replaces none. */
  readonly predecessor: number | null;
  /** Null where no service manager is to be told. */
  readonly service: ServiceEnvironment | null;
  /** What is wrong with it; null where nothing is. */
  readonly warning: string | null;
}

/** The state that a program hands over: the targets that get no requests, because somebody said so to it. */
export const handedTargets = (state: unknown): readonly TargetName[] => {
  if (!Array.isArray(state)) return [];
  return state.flatMap((target: Partial<TargetName> | null) => {
    const { upstream, address } = target ?? {};
    return typeof upstream === 'string' && typeof address === 'string' ? [{ upstream, address }] : [];
  });
};

/** What a program leaves to the one that has taken over. */
export interface HandedChanges extends DrainedChanges {
  /** It was asked to reload while it was being replaced. */
  readonly reload: boolean;
}

/** What has changed of it until the other program took over. */
export const handedChanges = (changes: unknown): HandedChanges => {
  const { undrained, drained, reload } = (changes ?? {}) as Partial<Record<keyof HandedChanges, unknown>>;
  return { undrained: handedTargets(undrained), drained: handedTargets(drained), reload: reload === true };
};

/** To be called before any other process is started: the variables that it stands in are removed. */
export const takeInheritance = (env: Record<string, string | undefined>, pid: number): ProgramInheritance => {
  const handover = takeHandover(env);
  const passed = takeSystemdSockets(env, pid);
  const handedOver = handover?.sockets.map((socket) => ({ ...socket, name: null }));
  return {
    sockets: handedOver ?? passed.sockets,
    predecessor: handover?.predecessor ?? null,
    service: takeServiceEnvironment(env, pid),
    warning: passed.warning,
  };
};
