import { firstHeader, type HeaderList } from '../../../../domain/http/header-list.js';
import { withoutHopByHop } from '../../../../domain/http/hop-by-hop-headers.js';

/** Whether a careless reader would frame by a field of a trailer section. */
export const frames = (trailers: HeaderList): boolean =>
  withoutHopByHop(trailers) !== trailers || firstHeader(trailers, 'content-length') !== undefined;
