/** A ceiling: answers with a constant, as little as HTTP in Node can do. Arguments: node|express, bytes, port. */
import { createServer, type Server } from 'node:http';
import express from 'express';

const [kind, bytes, port] = process.argv.slice(2);
const body = Buffer.from(JSON.stringify('x'.repeat(Math.max(0, Number(bytes) - 2))));
const headers = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)];

const server = kind === 'express' ? createServer(expressApp()) : rawServer();
server.listen(Number(port), () => process.send?.('ready'));

function rawServer(): Server {
  return createServer((_req, res) => {
    res.writeHead(200, headers);
    res.end(body);
  });
}

function expressApp(): express.Express {
  const app = express();
  app.get('/v1/agents/:slug', (_req, res) => {
    res.writeHead(200, headers);
    res.end(body);
  });
  return app;
}
