import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseTally } from './case-tally.js';
import { type FrameCase, frameDifference } from './http2-frames.js';
import { type BlockStory, compareStory } from './http2-header-blocks.js';
import { startHttp2Server } from './http2-server.js';
import { readTarArchive } from './tar-archive.js';

const frameFolder = 'frame-test-case';
const blockArchive = /^hpack-test-case.*\.tar\.gz$/;

/** The cases of frames below a folder, and the stories of header blocks in archives beside it. */
export const runHttp2Corpus = async (folder: string, tally: CaseTally): Promise<void> => {
  const entries = readdirSync(folder);
  const server = await startHttp2Server();
  try {
    const frames = entries.includes(frameFolder)
      ? readdirSync(join(folder, frameFolder), { recursive: true, encoding: 'utf8' })
      : [];
    for (const path of frames.filter((name) => name.endsWith('.json')).sort()) {
      const testCase = JSON.parse(readFileSync(join(folder, frameFolder, path), 'utf8')) as FrameCase;
      tally.count(path, await frameDifference(testCase, server));
    }
    for (const archive of entries.filter((name) => blockArchive.test(name)))
      for (const [path, text] of readTarArchive(readFileSync(join(folder, archive))))
        if (path.endsWith('.json')) await compareStory(path, JSON.parse(text) as BlockStory, server, tally);
  } finally {
    await server.close();
  }
};
