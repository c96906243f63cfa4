-- The end of it: nobody may call anything, but for what was granted.
revoke execute on all routines in schema berth, berth_private from public;

select berth_private.give_all();

select berth_private.give_runners();
