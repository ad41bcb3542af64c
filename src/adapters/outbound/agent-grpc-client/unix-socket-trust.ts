import { lstat, readFile, stat } from 'node:fs/promises';
import type { ConnectorCheck } from '../../../application/ports/gateway/agent-connector.js';
import { checkSocketOwnership, posixUserId } from '../../../domain/agent-protocol/socket-ownership.js';
import { isSocketPathTooLong } from '../../wire/agent-frames/socket-path.js';

const passwdPath = '/etc/passwd';

/** Checks that a path is a socket with a trusted owner. Never rejects. */
export const checkUnixSocket = async (path: string, owner: string | null): Promise<ConnectorCheck> => {
  const refused = (reason: string): ConnectorCheck => ({
    kind: 'refused',
    detail: `the socket ${path} is not trusted: ${reason}`,
  });
  if (isSocketPathTooLong(path)) return refused('its path is too long');
  let ownerId: number | null = null;
  if (owner !== null) {
    ownerId = posixUserId(owner, await readFile(passwdPath, 'utf8').catch(() => ''));
    if (ownerId === null) return refused(`there is no user "${owner}"`);
  }
  const link = await lstat(path).catch(() => null);
  const target = await stat(path).catch(() => null);
  if (link === null || target === null) return { kind: 'absent', detail: `there is no socket ${path}` };
  const found = { isSocket: target.isSocket(), linkUserId: link.uid, targetUserId: target.uid };
  const owned = checkSocketOwnership(found, process.getuid?.() ?? null, ownerId);
  return owned.ok ? { kind: 'ready' } : refused(owned.error);
};
