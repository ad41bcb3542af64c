import { err, ok, type Result } from '../shared/result.js';

/** What is found at a path, its last link followed (`target`) and not (`link`). */
export interface FoundSocket {
  readonly isSocket: boolean;
  readonly linkUserId: number;
  readonly targetUserId: number;
}

const superUserId = 0;
const decimal = /^[0-9]{1,10}$/;

/**
 * The user id of a name, as the text of /etc/passwd has it; digits are an id themselves. Null: there is no such user.
 * Users that come from elsewhere (LDAP) have to be given by their id.
 */
export const posixUserId = (owner: string, passwd: string): number | null => {
  if (decimal.test(owner)) return Number(owner);
  for (const line of passwd.split('\n')) {
    const [name, , id] = line.split(':');
    if (name === owner && id !== undefined && decimal.test(id)) return Number(id);
  }
  return null;
};

/**
 * Whether a socket belongs to somebody who may judge requests: the gateway's own user, root, or the user that the
 * configuration names. A link is followed only where its own owner may, too. The error says why not.
 *
 * @param ownUserId null where the platform has no user ids
 * @param namedUserId null where the configuration names nobody
 */
export const checkSocketOwnership = (
  found: FoundSocket,
  ownUserId: number | null,
  namedUserId: number | null,
): Result<void, string> => {
  if (!found.isSocket) return err('it is no socket');
  const stranger = [found.linkUserId, found.targetUserId].find(
    (userId) => userId !== superUserId && userId !== ownUserId && userId !== namedUserId,
  );
  if (stranger === undefined) return ok(undefined);
  return err(`it belongs to user ${stranger}, who is not its socket-owner`);
};
