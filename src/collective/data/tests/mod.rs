mod arithmetic;
mod damage;
mod exactness;
