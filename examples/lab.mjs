// The lab by itself: a fake provider on loopback that spoils some of its answers. `node examples/lab.mjs` (after `npm run build`).
// #region lab
import { startLab } from '@vouch/lab';

const lab = await startLab({
  seed: 7,
  pathologies: [
    { id: 'A1', rate: 0.1 },
    { id: 'S3', rate: 0.1 },
  ],
});
// Point any client of the chat wire at lab.baseUrl.
console.log(
  lab.baseUrl,
  lab.requests().map((request) => request.applied),
);
await lab.close();
// #endregion
