import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { limiterContract } from './limiter.contract.ts';

limiterContract('memory', async () => ({ limiter: createMemoryLimiter(60), close: async () => undefined }));
