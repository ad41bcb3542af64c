import type { Result } from '../../../domain/shared/result.js';

/** `auto`: native where it is available. */
export type SocketLayerName = 'auto' | 'native' | 'node';

/** Why a configuration with `sockets "native"` is refused. */
export const nativeSocketsMissing = (reason: string): string => `system { sockets "native" }: ${reason}`;

/** Chooses the layer that carries plain TCP connections. */
export interface SocketLayerChoice {
  /** The layer of new listeners and new upstream connections. */
  readonly name: 'native' | 'node';
  /**
   * Chooses it. The value is the reason why `auto` uses node:net; null otherwise. An error: `native` is not
   * available.
   */
  choose(wanted: SocketLayerName): Promise<Result<string | null, string>>;
}
