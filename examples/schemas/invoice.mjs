import { z } from 'zod';

export default z.strictObject({
  invoiceNumber: z.string().min(1).meta({ title: 'Invoice number' }),
  invoiceDate: z.iso.date().meta({ title: 'Invoice date' }),
  dueDate: z.iso.date().meta({ title: 'Due date' }),
  customer: z.string().min(1).meta({ title: 'Customer' }),
  currency: z.enum(['CHF', 'EUR', 'GBP', 'USD']).meta({ title: 'Currency' }),
  lines: z
    .array(
      z.strictObject({
        description: z.string().meta({ title: 'Description' }),
        quantity: z.int().meta({ title: 'Quantity' }),
        unitPrice: z.number().meta({ title: 'Unit price' }),
        amount: z.number().meta({ title: 'Amount' }),
      }),
    )
    .min(1),
  netTotal: z.number().meta({ title: 'Net total' }),
  vat: z.number().nonnegative().meta({ title: 'VAT' }),
  total: z.number().meta({ title: 'Total' }),
});
