import type { Dispatcher } from 'undici';
import type { HeaderList } from '../../../../domain/http/header-list.js';

/** undici gives raw fields as octets, name and value in turn. */
export const rawHeaderList = (raw: Dispatcher.DispatchController['rawHeaders']): HeaderList => {
  if (!Array.isArray(raw)) return [];
  const list: string[] = new Array(raw.length);
  for (let index = 0; index < raw.length; index += 1) {
    const part = raw[index] as Buffer | string;
    list[index] = typeof part === 'string' ? part : part.toString('latin1');
  }
  return list;
};
