import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { CompressionCoding } from '../../../domain/gateway/route-transforms/accepted-coding.js';

/** A zlib encoder. */
export type ZlibEncoder = Transform & {
  /** Outputs everything that was written. */
  flush(done: () => void): void;
};

/** One coding of Node's zlib. */
export interface ZlibCoder {
  whole(octets: Uint8Array): Uint8Array;
  stream(): ZlibEncoder;
}

/** Largest piece of output, in octets. */
const chunkSize = 32_768;

const { constants } = zlib;

const gzipLevel = 6;
const brotliQuality = 4;
/** 256 KiB. An encoder takes 2 MB; with Brotli's standard window it would take 5. */
const brotliWindowBits = 18;
const smallestBrotliWindowBits = 10;
const zstdLevel = 3;
const zstdWindowBits = 18;

/** The smallest window that holds so many octets, as a power of two. */
const windowBits = (octets: number, smallest: number, largest: number): number =>
  Math.min(largest, Math.max(smallest, 32 - Math.clz32(octets + 262)));

const gzip: ZlibCoder = {
  whole: (octets) => {
    const bits = windowBits(octets.length, 9, 15);
    // Smaller tables are cleared faster.
    return zlib.gzipSync(octets, {
      level: gzipLevel,
      windowBits: bits,
      memLevel: Math.max(1, bits - 7),
      chunkSize: Math.max(1024, octets.length),
    });
  },
  stream: () => zlib.createGzip({ level: gzipLevel, chunkSize, flush: constants.Z_NO_FLUSH }),
};

const brotliParameters = (bits: number, sizeHint: number): Record<number, number> => ({
  [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
  [constants.BROTLI_PARAM_LGWIN]: bits,
  [constants.BROTLI_PARAM_SIZE_HINT]: sizeHint,
});

const brotli: ZlibCoder = {
  whole: (octets) => {
    const bits = windowBits(octets.length, smallestBrotliWindowBits, brotliWindowBits);
    const params = brotliParameters(bits, octets.length);
    return zlib.brotliCompressSync(octets, { params, chunkSize: Math.max(1024, octets.length) });
  },
  stream: () => zlib.createBrotliCompress({ params: brotliParameters(brotliWindowBits, 0), chunkSize }),
};

interface ZstdOptions {
  readonly params: Readonly<Record<number, number>>;
  readonly chunkSize: number;
}

/** Zstandard in `node:zlib`, since Node 22.15. The types of Node 20 lack it. */
interface ZstdLibrary {
  readonly createZstdCompress: (options: ZstdOptions) => ZlibEncoder;
  readonly zstdCompressSync: (octets: Uint8Array, options: ZstdOptions) => Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_c_windowLog: number };
}

const hasZstd = (library: object): library is ZstdLibrary =>
  'createZstdCompress' in library && 'zstdCompressSync' in library;

const zstdOf = (library: ZstdLibrary): ZlibCoder => {
  const { ZSTD_c_compressionLevel: level, ZSTD_c_windowLog: windowLog } = library.constants;
  const options = { params: { [level]: zstdLevel, [windowLog]: zstdWindowBits }, chunkSize };
  return {
    whole: (octets) => library.zstdCompressSync(octets, options),
    stream: () => library.createZstdCompress(options),
  };
};

/** The codings of this Node. */
export const zlibCoders: ReadonlyMap<CompressionCoding, ZlibCoder> = new Map<CompressionCoding, ZlibCoder>([
  ['gzip', gzip],
  ['br', brotli],
  ...(hasZstd(zlib) ? [['zstd', zstdOf(zlib)] as const] : []),
]);
