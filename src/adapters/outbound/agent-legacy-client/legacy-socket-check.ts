import { lstat, readFile, stat } from 'node:fs/promises';
import type { ConnectorCheck } from '../../../application/ports/gateway/agent-connector.js';
import { checkSocketOwnership, posixUserId } from '../../../domain/agent-protocol/socket-ownership.js';
import { isSocketPathTooLong } from '../../wire/agent-frames/socket-path.js';

const passwdPath = '/etc/passwd';

/** Checks that a path is a socket with a trusted owner. Never rejects. */
export const checkLegacySocket = async (path: string, owner: string | null): Promise<ConnectorCheck> => {
  const untrusted = (reason: string): ConnectorCheck => ({
    kind: 'refused',
    detail: `the socket ${path} is not trusted: ${reason}`,
  });
  if (isSocketPathTooLong(path)) return untrusted('its path is too long');
  const passwd = owner === null ? '' : await readFile(passwdPath, 'utf8').catch(() => '');
  const ownerId = owner === null ? null : posixUserId(owner, passwd);
  if (owner !== null && ownerId === null) return untrusted(`there is no user "${owner}"`);
  const [link, target] = await Promise.all([lstat(path).catch(() => null), stat(path).catch(() => null)]);
  if (link === null || target === null) return { kind: 'absent', detail: `there is no socket ${path}` };
  const ownership = checkSocketOwnership(
    { isSocket: target.isSocket(), linkUserId: link.uid, targetUserId: target.uid },
    process.getuid?.() ?? null,
    ownerId,
  );
  return ownership.ok ? { kind: 'ready' } : untrusted(ownership.error);
};
