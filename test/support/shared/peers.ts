import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** Programs that some tests talk to and that no package here brings. */
export type Peer =
  | 'nginx'
  | 'haproxy'
  | 'caddy'
  | 'redis-server'
  | 'openssl'
  | 'curl'
  | 'wrk'
  | 'setpriv'
  | 'script'
  | 'systemd-analyze'
  | 'systemd-notify'
  | 'xmlsec1'
  | 'promtool'
  | 'python3'
  | 'chromium';

/** Debian keeps servers in sbin, which is not on everybody's path. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Where a peer is installed; null where it is not. */
export const peerPath = (peer: Peer): string | null => {
  for (const folder of folders) {
    const candidate = join(folder, peer);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
};

/**
 * A group of tests that need real peers. Where one is missing the group is skipped, and its name says why: that is what
 * the summary of `npm test` shows, and what makes it fail with CI=true.
 */
export const describeWithPeers = (peers: readonly Peer[], name: string, tests: () => void): void => {
  const missing = peers.filter((peer) => peerPath(peer) === null);
  if (missing.length === 0) describe(name, tests);
  else describe.skip(`${name} (not installed: ${missing.join(', ')})`, tests);
};
