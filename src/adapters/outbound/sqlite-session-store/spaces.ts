import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { StoreConnection } from './store-connection.js';

/** The number of a space. It is there from now on. */
export const spaceNamed = (connection: StoreConnection, name: string): Stored<number> => {
  const { database } = connection;
  return connection.write(() => {
    database.prepare<[string]>('INSERT INTO spaces (name) VALUES (?) ON CONFLICT (name) DO NOTHING').run(name);
    const space = database.prepare<[string], number>('SELECT id FROM spaces WHERE name = ?').pluck().get(name);
    if (space === undefined) throw new RangeError('the space is not there');
    return space;
  });
};
