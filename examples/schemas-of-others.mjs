// Schemas of other libraries than zod: valibot with the JSON Schema that its own converter makes, and plain JSON Schema with Ajv behind it.
import { reader, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';

const lab = await startLab({ model: reader() });
const client = createSignal({ baseUrl: lab.baseUrl, model: 'lab-reader' });
const text = 'Order number: A-17\nQuantity: 3';

// #region valibot
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';

const Order = v.strictObject({ orderNumber: v.string(), quantity: v.pipe(v.number(), v.integer()) });
const byValibot = await client.schema(toStandardJsonSchema(Order)).complete(text);

// #endregion

// #region json-schema
import { Ajv2020 } from 'ajv/dist/2020.js';

const jsonSchema = {
  type: 'object',
  properties: { orderNumber: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
  required: ['orderNumber', 'quantity'],
  additionalProperties: false,
};
const check = new Ajv2020({ allErrors: true }).compile(jsonSchema);

/** @type {import('@vouch/signal').PlainSchema<{ orderNumber: string, quantity: number }>} */
const plainOrder = {
  jsonSchema,
  validate(value) {
    if (check(value)) return { ok: true };
    const issues = (check.errors ?? []).map(({ instancePath: path, keyword: code, message: expected = '' }) => ({
      path, // a JSON pointer
      code,
      expected,
      received: '',
    }));
    return { ok: false, issues };
  },
};
const byAjv = await client.schema(plainOrder).complete(text);
// #endregion

console.log(byValibot.response, byAjv.response);
const refused = await client.schema(plainOrder).retries(0).tryComplete('Order number: A-17\nQuantity: 0');
console.log(refused.ok ? refused.response : refused.failure.evidence.issues);
await lab.close();
