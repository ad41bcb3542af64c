import { firstHeader, type HeaderList } from './header-list.js';

/** Whether a response holds server-sent events (WHATWG HTML, section 9.2). */
export const isEventStream = (headers: HeaderList): boolean => {
  const type = firstHeader(headers, 'content-type') ?? '';
  return (type.split(';', 1)[0] as string).trim().toLowerCase() === 'text/event-stream';
};
