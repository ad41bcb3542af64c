import { runCorpora } from './corpora.js';

/** `npm run conformance -- FOLDER`; exit code 1 where a case fails, 2 where there is nothing to run. */
const main = async (): Promise<number> => {
  const [folder, ...others] = process.argv.slice(2);
  if (folder === undefined || others.length > 0) {
    process.stderr.write('usage: npm run conformance -- FOLDER\n');
    return 2;
  }
  const outcome = await runCorpora(folder, (line) => process.stdout.write(`${line}\n`));
  if ('problem' in outcome) {
    process.stderr.write(`error: ${outcome.problem}\n`);
    return 2;
  }
  return outcome.failed === 0 ? 0 : 1;
};

process.exitCode = await main();
