import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

// A script that is told to stop takes what it started with it.
for (const [signal, code] of /** @type {const} */ ([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
])) {
  process.on(signal, () => {
    if (running.size === 0) return;
    for (const child of running) child.kill(signal);
    process.exit(code);
  });
}

/** Forgets the handlers above, for a program that runs in this process and has its own. */
export const releaseSignals = () => {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.removeAllListeners(signal);
};

/**
 * Runs a command in the root of the repository.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, env?: Record<string, string> }} [options] quiet: the output is kept instead of shown
 * @returns {Promise<{ code: number, output: string }>}
 */
export const runTool = (command, args, { quiet = false, env = {} } = {}) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    running.add(child);
    let output = '';
    /** @param {string} text */
    const keep = (text) => {
      output += text;
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => {
      running.delete(child);
      resolve({ code: 127, output: `${output}${command}: ${error.message}\n` });
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}ended by ${signal}\n` });
    });
  });

/**
 * Runs a Node program.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, env?: Record<string, string> }} [options]
 */
export const runNode = (file, args, options) => runTool(process.execPath, [file, ...args], options);
