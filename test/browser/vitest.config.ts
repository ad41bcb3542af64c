import { defineConfig } from 'vitest/config';

/** Tests that need a browser; `npm run test:browser`. */
export default defineConfig({
  test: {
    allowOnly: false,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
