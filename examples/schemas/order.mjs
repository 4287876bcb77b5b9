import { z } from 'zod';

export default z.strictObject({
  orderNumber: z.string().min(1).meta({ title: 'Order number' }),
  orderDate: z.iso.date().meta({ title: 'Order date' }),
  buyer: z.string().meta({ title: 'Buyer' }),
  deliveryAddress: z.string().meta({ title: 'Delivery address' }),
  shipping: z.enum(['standard', 'express', 'pickup']).meta({ title: 'Shipping' }),
  giftWrap: z.boolean().meta({ title: 'Gift wrap' }),
  items: z
    .array(
      z.strictObject({
        article: z.string().meta({ title: 'Article' }),
        code: z.string().meta({ title: 'Code' }),
        quantity: z.int().positive().meta({ title: 'Quantity' }),
      }),
    )
    .min(1),
  comment: z.string().meta({ title: 'Comment' }),
});
