mod throwaway;
