import { built } from '../built.js';

type Requests = typeof import('../../src/adapters/wire/http1/read-head.js');
type Responses = typeof import('../../src/adapters/wire/http1/read-head.js');
type Faults = typeof import('../../src/adapters/wire/http1/head-fault.js');
type Lines = typeof import('../../src/adapters/wire/http1/head-lines.js');
type Fields = typeof import('../../src/adapters/wire/http1/message-head.js');
type Buffers = typeof import('../../src/adapters/wire/http1/head-buffer.js');
type Chunks = typeof import('../../src/adapters/wire/http1/chunked-reader.js');
type Texts = typeof import('../../src/adapters/wire/http1/head-text.js');

/** What is tried: handed over, so that tests give the sources and a run gives what was built. */
export type Codec = Requests & Responses & Faults & Lines & Fields & Buffers & Chunks & Texts;

const modules = [
  'read-request-head',
  'read-response-head',
  'head-fault',
  'head-lines',
  'field-list',
  'head-buffer',
  'chunked-reader',
  'head-text',
];

export const builtCodec = async (): Promise<Codec> => {
  const parts = await Promise.all(modules.map((name) => built<Partial<Codec>>(`adapters/wire/http1/${name}.js`)));
  return Object.assign({}, ...parts) as Codec;
};
