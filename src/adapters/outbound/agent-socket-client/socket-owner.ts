import { lstat, readFile, stat } from 'node:fs/promises';
import { checkSocketOwnership, posixUserId } from '../../../domain/agent-protocol/socket-ownership.js';
import { isSocketPathTooLong } from '../../wire/agent-frames/socket-path.js';

const passwdPath = '/etc/passwd';

/** `absent`: no such file. `refused`: do not connect. */
export type SocketCheck =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Checks that a path is a socket with a trusted owner. Never rejects. */
export const checkSocketOwner = async (path: string, owner: string | null): Promise<SocketCheck> => {
  if (isSocketPathTooLong(path)) return { kind: 'refused', reason: 'its path is too long' };
  const passwd = owner === null ? '' : await readFile(passwdPath, 'utf8').catch(() => '');
  const ownerId = owner === null ? null : posixUserId(owner, passwd);
  if (owner !== null && ownerId === null) return { kind: 'refused', reason: `there is no user "${owner}"` };
  const link = await lstat(path).catch(() => null);
  const target = await stat(path).catch(() => null);
  if (link === null || target === null) return { kind: 'absent' };
  const found = { isSocket: target.isSocket(), linkUserId: link.uid, targetUserId: target.uid };
  const ownership = checkSocketOwnership(found, process.getuid?.() ?? null, ownerId);
  return ownership.ok ? { kind: 'trusted' } : { kind: 'refused', reason: ownership.error };
};
