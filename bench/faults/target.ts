// A target that goes wrong when it is told to: node target.js PORT CONTROL_PORT NAME. Told by GET /MANNER of its
// second port.
import { createServer, type RequestListener } from 'node:http';
import { isManner, type Manner } from './manners.js';

const [port, controlPort, name = ''] = process.argv.slice(2);
const host = '127.0.0.1';
const body = name.padEnd(64, '.');
const octetMs = 20;

let manner: Manner = 'well';

const answer: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(manner === 'failing' ? 500 : 200, { 'Content-Length': body.length });
  if (manner === 'cutting') {
    response.write(body.slice(0, 32), () => request.socket.resetAndDestroy());
    return;
  }
  if (manner !== 'slow') {
    response.end(body);
    return;
  }
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body[sent]);
    sent += 1;
    if (sent < body.length) return;
    clearInterval(timer);
    response.end();
  }, octetMs);
  response.on('close', () => clearInterval(timer));
};

const server = createServer(answer);
server.on('connection', (socket) => socket.on('error', () => undefined));

const become = (next: Manner): void => {
  manner = next;
  if (manner === 'refusing') server.close();
  else if (!server.listening) server.listen(Number(port), host);
};

become('well');
createServer((request, response) => {
  const wanted = (request.url ?? '').slice(1);
  if (isManner(wanted)) become(wanted);
  response.end();
}).listen(Number(controlPort), host);
